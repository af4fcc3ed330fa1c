#pragma once

#include <cstdint>
#include <memory>
#include <tt-metalium/command_queue.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "api/src/work/queue_worker.h"
#include "base/mutex.h"
#include "capture/capture.h"

namespace tt::tt_metal {

// Whether a call waits for its work, and gives up where it may never be done.
enum class QueueWait { kNone, kPatient, kUntilDone };
inline QueueWait wait_of(bool blocking) {
  return blocking ? QueueWait::kUntilDone : QueueWait::kNone;
}

// A call that gives a queue's thread work, or waits for it. Its record comes with it: see run_as in
// queue_record.h.
class QueueCall {
 public:
  // What of it a file has.
  enum class Kind {
    kEffect,     // it writes or launches: its work, even if that fails
    kRead,       // it reads: nothing, if that fails
    kWait,       // it does nothing else: it is in the file once it has waited
    kComparison  // it reads to compare: it is in the file with what it has read, or not at all
  };

  // What of the call is recorded.
  enum class Says {
    kIntent,  // it is about to be made
    kDone,    // all: that it waits, what it has read
    kGiven,   // that the queue has its work
    kFailed   // that the queue had its work; the failure itself comes behind it
  };

  QueueCall(const lightmetal::capture::CallScope& scope, Kind kind, QueueWait wait)
      : scope_(scope), kind_(kind), wait_(wait) {}
  QueueCall(const QueueCall&) = delete;
  QueueCall& operator=(const QueueCall&) = delete;

  // Whether what is recorded as `says` has waited, if the call does.
  static bool waits(Says says) { return says == Says::kDone || says == Says::kIntent; }

  // Optional, before the call is run.
  bool announces = false;  // an intent is written where the capture is asked for them
  bool reads = false;  // what it reads becomes a golden: what comes next waits for it, if it may
  tt::stl::Span<const SubDeviceId> sub_devices;  // that it waits for
  // Beside the queues: the program that it launches or waits for.
  const Program* program = nullptr;
  const IDevice* device = nullptr;

 private:
  friend class QueueOrder;

  using RecordFunction = absl::FunctionRef<void(Says)>;
  static void record_nothing(Says) {}

  // Whether the file has a record of this kind of call.
  bool is_recorded_as(Says says) const;
  void record_as(Says says) const;

  const lightmetal::capture::CallScope& scope_;
  const Kind kind_;
  const QueueWait wait_;
  const RecordFunction* record_ = nullptr;  // while it runs
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
//
// Queues wait for each other, too: kernels of two chips that talk, one that waits for a word that
// another queue writes. So before any wait is recorded, what other queues were given until it ended
// gets its place, as work that nobody waits for yet.
class QueueOrder {
 public:
  // `queue`, for the events, is null for launches beside the queues.
  QueueOrder(QueueWorker& worker, CommandQueue* queue);
  ~QueueOrder() { withdraw(); }
  QueueOrder(const QueueOrder&) = delete;
  QueueOrder& operator=(const QueueOrder&) = delete;

  // Records the call by `record(says)`, gives the thread its work, which may be none, and waits as
  // the call does. True when it has waited and all is done. Throws the queue's error when the call
  // waits until all is done.
  bool run(QueueCall& call, QueueWorker::Operation work,
           absl::FunctionRef<void(QueueCall::Says)> record = QueueCall::record_nothing);

  // Records the calls whose work is done, for one that has waited for them in another way.
  void record_done();
  // Records all calls up to the last that has an effect, done or not, as calls that do not wait.
  void record_effects();
  // The device is closing: record_effects_of_all_but() leaves this one out from now on.
  void withdraw();
  // Records all calls, before their device is closed in the file: of their return nothing is.
  void close();

 private:
  using Pending = std::vector<QueueCall*>;

  // These return the ticket to wait for.
  uint64_t give(QueueCall& call, QueueWorker::Operation work);
  uint64_t give_to_wait(QueueCall& call, QueueWorker::Operation work)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  uint64_t give_recorded(QueueCall& call, QueueWorker::Operation work)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  uint64_t push(QueueWorker::Operation work);
  void end(QueueCall& call, QueueCall::Says says);
  // The ticket up to which calls may be recorded as done.
  uint64_t settle_others();
  // False when there are no calls at all that wait and are not recorded.
  bool wait_for_reads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  // Those before `end`; as done where they are, and have a ticket up to `done`.
  void record_until(Pending::iterator end, uint64_t done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // By any thread inside a call of its own.
  void record_pending(QueueCall& call, uint64_t done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void record_given(QueueCall& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Puts an event behind its work, for the wait.
  void record_awaited(QueueCall& call);
  void record_return(QueueCall& call, QueueCall::Says says) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t unique_id_;
  QueueWorker& worker_;
  CommandQueue* const queue_;
  // Held by whoever gives work, before `mutex_`; also while it waits for a read. With `mutex_`
  // alone no thread waits for a queue, nor for another order.
  lightmetal::Mutex giving_;
  lightmetal::Mutex mutex_;
  // Calls that wait and are not recorded, in the order of their work.
  Pending pending_ ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// QueueOrder::record_effects() of all queues of the open devices but `other`: before a wait is
// recorded that has ended.
void record_effects_of_all_but(const QueueOrder* other);

}  // namespace tt::tt_metal
