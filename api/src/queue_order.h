#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "api/src/queue_worker.h"
#include "base/mutex.h"
#include "capture/capture.h"

namespace tt::tt_metal {

// Whether a call waits for its work, and gives up where it may never be done.
enum class QueueWait { kNone, kPatient, kUntilDone };
inline QueueWait wait_of(bool blocking) {
  return blocking ? QueueWait::kUntilDone : QueueWait::kNone;
}

// A call that gives a queue's thread work, or waits for it, and how a file has it.
class QueueCall {
 public:
  // What of the call is recorded.
  enum class Says {
    kIntent,   // it is about to be made
    kDone,     // all: that it waits, what it has read
    kGiven,    // that the queue has its work
    kAwaited,  // what kGiven has left out, now that the work is done
    kFailed    // that the queue had its work; the failure itself comes behind it
  };

  // `record(says)` records the call; it outlives this. It says nothing where there is nothing to
  // say.
  template <class Record>
  QueueCall(const lightmetal::capture::CallScope& scope, QueueWait wait, const Record& record)
      : scope_(scope), wait_(wait), record_(recorder_of(record)) {}
  QueueCall(const QueueCall&) = delete;
  QueueCall& operator=(const QueueCall&) = delete;

  // Whether what is recorded as `says` has waited, if the call does.
  static bool waits(Says says) { return says == Says::kDone || says == Says::kIntent; }

  // Optional, before the call is run.
  bool announces = false;  // an intent is written where the capture is asked for them
  bool reads = false;  // what it reads becomes a golden: what comes next waits for it, if it may
  tt::stl::Span<const SubDeviceId> sub_devices;  // that it waits for

 private:
  friend class QueueOrder;

  using RecordFunction = absl::FunctionRef<void(Says)>;
  static void say_nothing(Says) {}
  template <class Record>
  static RecordFunction recorder_of(const Record& record) {
    if constexpr (lightmetal::capture::kEnabled) return record;
    return say_nothing;
  }

  const lightmetal::capture::CallScope& scope_;
  const QueueWait wait_;
  const RecordFunction record_;
  uint64_t ticket_ = 0;
  uint64_t errors_before_ = 0;      // QueueWorker::num_errors() when the queue took it
  bool is_recorded_ = false;        // as kDone or kGiven, by whichever thread
  bool is_awaited_ = false;         // as kGiven, though it waits
  std::shared_ptr<Event> awaited_;  // stands in the file behind the work that it waits for
};

// What a queue's thread is given, in one order for the thread and for the file: that in which it
// takes it, whoever waits. Thread-safe.
//
// A call that does not wait is recorded before the thread has its work, in one step with that. One
// that waits is recorded when its work is done, with what it has read, and before whatever the
// queue was given after it: by itself, or by the call that comes next. Should that one not be able
// to wait for it, it stands there as one that does not block, with an event behind it, and its
// return as a wait for this event. So nothing is recorded before it can be replayed by one thread.
class QueueOrder {
 public:
  // `queue`, for the events, is null for launches beside the queues.
  QueueOrder(QueueWorker& worker, CommandQueue* queue) : worker_(worker), queue_(queue) {}

  // Records the call, gives the thread its work, which may be none, and waits as the call does.
  // True when it has waited and all is done. Throws the queue's error when the call waits until
  // all is done.
  bool run(QueueCall& call, QueueWorker::Operation work);

  // Records the calls whose work is done, for one that has waited for them in another way.
  void record_done();

 private:
  // Returns the ticket to wait for.
  uint64_t give(QueueCall& call, QueueWorker::Operation work);
  uint64_t push(QueueWorker::Operation work);
  void end(QueueCall& call, QueueCall::Says says);
  bool is_done(const QueueCall& call) const;
  void record_pending() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Those before `call`, and it itself as `says`.
  void record_up_to(QueueCall& call, QueueCall::Says says) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // By any thread inside a call of its own.
  void record(QueueCall& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void record_given(QueueCall& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void record_return(QueueCall& call, QueueCall::Says says);

  QueueWorker& worker_;
  CommandQueue* const queue_;
  lightmetal::Mutex mutex_;
  // Calls that wait and are not recorded, in the order of their work.
  std::vector<QueueCall*> pending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
