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

// Whether a call waits for its work: not at all; patiently, that is, until it gives up because the
// work may never be done (QueueWorker::wait_patiently); or until the work is done.
enum class QueueWait { kNone, kPatient, kUntilDone };
inline QueueWait wait_of(bool blocking) {
  return blocking ? QueueWait::kUntilDone : QueueWait::kNone;
}

// A call of the program that gives a queue's thread work, or waits for it. It lives on the stack of
// the thread that makes the call; other threads may record it while it waits. Its record comes with
// it: see run_as in queue_record.h.
class QueueCall {
 public:
  // What a file has of such a call.
  enum class Kind {
    kEffect,     // it writes or launches: the file has the work, even if the work fails
    kRead,       // it reads: the file has nothing if the read fails
    kWait,       // it only waits: it is in the file once it has waited
    kComparison  // it reads to compare: it is in the file with what it has read, or not at all
  };

  // What a record says of the call.
  enum class Says {
    kIntent,  // the call is about to be made
    kDone,    // all of it: the call has waited, and this is what it has read
    kGiven,   // the queue has its work; nobody has waited for it
    // the queue had its work, which failed; the failure is recorded behind this
    kFailed
  };

  QueueCall(const lightmetal::capture::CallScope& scope, Kind kind, QueueWait wait)
      : scope_(scope), kind_(kind), wait_(wait) {}
  QueueCall(const QueueCall&) = delete;
  QueueCall& operator=(const QueueCall&) = delete;

  // True when a record that says this is one of a call that waits, if the call waits at all.
  static bool waits(Says says) { return says == Says::kDone || says == Says::kIntent; }

  // These may be set before the call is run.
  // An intent is written first, where the capture was asked for intents.
  bool announces = false;
  // What the call reads becomes a golden: the next call waits for it, if it may.
  bool reads = false;
  // The sub-devices that the call waits for.
  tt::stl::Span<const SubDeviceId> sub_devices;
  // For launches beside the queues: the program that the call launches or waits for, and its
  // device.
  const Program* program = nullptr;
  const IDevice* device = nullptr;

 private:
  friend class QueueOrder;

  using RecordFunction = absl::FunctionRef<void(Says)>;
  static void record_nothing(Says) {}

  // Whether a file has a record that says this of a call of this kind.
  bool is_recorded_as(Says says) const;
  void record_as(Says says) const;

  const lightmetal::capture::CallScope& scope_;
  const Kind kind_;
  const QueueWait wait_;
  const RecordFunction* record_ = nullptr;  // set by QueueOrder::run() while the call runs
  uint64_t ticket_ = 0;
  uint64_t errors_before_ = 0;  // QueueWorker::num_errors() when the queue took it
  bool is_recorded_ = false;    // as kDone or kGiven, by whichever thread
  bool is_awaited_ = false;     // as kGiven, though it waits
  // The event that stands in the file behind the work, so that the return of the call can be
  // recorded as a wait for it.
  std::shared_ptr<Event> awaited_;
};

// The work of one queue in one order, for the thread that does it and for the file: the order in
// which the thread takes the work, whoever waits for it. Thread-safe.
//
// A call that does not wait is recorded before the thread has its work, in one step with that. A
// call that waits is recorded when its work is done, with what it has read, and before whatever the
// queue was given after it: either by its own thread, or by the next call on the queue. If the next
// call cannot wait for that work, it records the waiting call as one that does not block, with an
// event behind it; the return of the waiting call is then recorded as a wait for this event. So
// nothing is recorded before one thread could replay it.
//
// Queues wait for each other, too: kernels of two chips talk, or a kernel waits for a word that
// another queue writes. So before any wait is recorded, what other queues were given until the wait
// ended gets its place, as work that nobody waits for yet.
//
// docs/architecture.md ("The order of a queue's work") tells the whole story. Without capture a
// QueueOrder only gives work and waits.
class QueueOrder {
 public:
  // `queue` is where events are recorded; null for launches beside the queues, which have none.
  // `worker` outlives the order.
  QueueOrder(QueueWorker& worker, CommandQueue* queue);
  ~QueueOrder() { withdraw(); }
  QueueOrder(const QueueOrder&) = delete;
  QueueOrder& operator=(const QueueOrder&) = delete;

  // Records the call by `record(says)`, gives the thread its work, which may be none, and waits as
  // the call does. Returns true when the call has waited and all its work is done. Throws the
  // queue's first error for a call that waits until its work is done.
  bool run(QueueCall& call, Operation work,
           absl::FunctionRef<void(QueueCall::Says)> record = QueueCall::record_nothing);

  // Records the calls whose work is done, for a caller that has waited for them in another way.
  void record_done();
  // Records all calls up to the last that has an effect, done or not, as calls that do not wait.
  void record_effects();
  // Called when the device closes: record_effects_of_all_but() passes over this order from now on.
  void withdraw();
  // Records all calls before their device is closed in the file. Nothing of their return is
  // recorded.
  void close();

 private:
  using Pending = std::vector<QueueCall*>;

  // The give functions return the ticket to wait for.
  uint64_t give(QueueCall& call, Operation&& work);
  uint64_t give_to_wait(QueueCall& call, Operation&& work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  uint64_t give_recorded(QueueCall& call, Operation&& work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  uint64_t push(Operation&& work);
  void end(QueueCall& call, QueueCall::Says says);
  // Gives what other queues were given its place, and returns the ticket up to which calls may be
  // recorded as done.
  uint64_t settle_others();
  // Waits patiently for reads that become goldens. Returns false when no call waits unrecorded.
  bool wait_for_reads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(giving_);
  // Records the calls before `end`: as done where their work is done and their ticket is at most
  // `done`, else as given. Where that throws, the capture has an error, and no call that waits now
  // is recorded any more.
  void record_until(Pending::iterator end, uint64_t done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Called by any thread, inside a call of its own, for the call of another thread.
  void record_pending(QueueCall& call, uint64_t done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void record_given(QueueCall& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Records an event behind the call's work, for the wait to come.
  void record_awaited(QueueCall& call);
  void record_return(QueueCall& call, QueueCall::Says says) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint64_t unique_id_;
  QueueWorker& worker_;
  CommandQueue* const queue_;
  // Held by whoever gives recorded work, and taken before `mutex_`; held also while that thread
  // waits for a read. With `mutex_` alone no thread waits for a queue or takes the lock of another
  // order.
  lightmetal::Mutex giving_;
  lightmetal::Mutex mutex_;
  // The calls that wait and are not recorded, in the order of their work.
  Pending pending_ ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// Calls QueueOrder::record_effects() for all queues of the open devices but `other`, before a wait
// that has ended is recorded.
void record_effects_of_all_but(const QueueOrder* other);

}  // namespace tt::tt_metal
