#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "api/src/support/process_mark.h"
#include "api/src/work/operation.h"
#include "base/mutex.h"

namespace tt::tt_metal {

// A thread that executes operations one after the other, in the order in which they were pushed. An
// operation that fails does not keep the next one from running; the first error is kept until
// somebody takes it. Thread-safe. A forked child has the object without its thread: calls that
// would give the thread work or wait for it throw std::runtime_error, and stop() only lets go of
// the thread.
class QueueWorker {
 public:
  QueueWorker();
  ~QueueWorker() { stop(); }
  QueueWorker(const QueueWorker&) = delete;
  QueueWorker& operator=(const QueueWorker&) = delete;

  // Returns the operation's ticket; tickets count from 1. The operation is destroyed before its
  // ticket is done. REQUIRES: stop() was not called.
  uint64_t push(Operation operation);
  // Waits until that operation and all before it are done.
  void wait(uint64_t ticket);
  // Waits for at most `time`, or until any operation ends. Returns true when that operation is
  // done.
  bool wait_for(uint64_t ticket, std::chrono::nanoseconds time);
  void wait_for_all() { wait(last_ticket()); }
  // Waits for that operation as long as operations end and none waits for an event that nobody has
  // recorded yet: whoever would record that event may be waiting here. Returns false when it gives
  // up, because of such an event or after five seconds in which no operation ended.
  bool wait_patiently(uint64_t ticket);
  bool is_done(uint64_t ticket) const { return last_done() >= ticket; }
  // The last ticket that is done.
  uint64_t last_done() const { return done_.load(); }
  uint64_t last_ticket() const { return pushed_.load(std::memory_order_acquire); }
  // True when all that was pushed is done.
  bool is_idle() const { return is_done(last_ticket()); }

  // Keeps an error as that of an operation. Does nothing for OK.
  void keep_error(absl::Status error);
  // Takes the first error since the last call of this; OK when there was none.
  absl::Status take_error();
  // True when there is one to take.
  bool has_error() const { return has_error_.load(std::memory_order_acquire); }
  // How many errors were kept so far; that of an operation counts before the operation is done.
  uint64_t num_errors() const { return num_errors_.load(std::memory_order_acquire); }

  // Executes what was pushed and ends the thread. Sets closing() first, so that operations that
  // could wait for ever give up. A second call does nothing.
  void stop();
  const std::atomic<bool>& closing() const { return closing_; }

 private:
  void run();
  // Waits for operations and takes all there are. Returns false when there are none and there will
  // be none.
  bool take(std::vector<Operation>& batch);
  void execute(Operation& operation);
  void finish_one();
  bool has_new_operations() const { return pushed_.load(std::memory_order_acquire) != taken_; }

  lightmetal::Mutex mutex_;
  std::vector<Operation> incoming_ ABSL_GUARDED_BY(mutex_);
  absl::Status first_error_ ABSL_GUARDED_BY(mutex_);
  bool sleeping_ ABSL_GUARDED_BY(mutex_) = false;
  lightmetal::Condition work_arrived_;
  lightmetal::Condition work_done_;

  std::atomic<uint64_t> pushed_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::atomic<uint32_t> waiters_ = 0;
  std::atomic<bool> has_error_ = false;
  std::atomic<uint64_t> num_errors_ = 0;
  std::atomic<bool> closing_ = false;
  uint64_t taken_ = 0;  // how many operations the thread has taken; only the thread uses it
  const ProcessMark process_;
  std::thread thread_;
};

}  // namespace tt::tt_metal
