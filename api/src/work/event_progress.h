#pragma once

#include <atomic>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "host/event.h"

namespace tt::tt_metal {

// How far an event has come (host::EventProgress), and the waits for it. The event and the queues
// that hold it share one, so that the event may go while they do. A recording is announced when
// record() gives out its number, and reached when the queue has come to it. Thread-safe.
class EventProgress {
 public:
  uint64_t record();
  uint64_t recorded() const { return recorded_.load(); }

  void reach(uint64_t recording);
  bool has_reached(uint64_t recording) const;
  void end_waits();

  // Waits until `recording` is reached. Returns false when it gave up, which it does when `closing`
  // is set and that recording was not even announced. REQUIRES: wake_waiters() is called after
  // `closing` is set. The second form never gives up.
  bool wait(uint64_t recording, const std::atomic<bool>& closing) const;
  void wait(uint64_t recording) const;

  static void wake_waiters();

  // True while a queue waits for a recording that was not even announced: only a call that is yet
  // to come ends that wait.
  static bool anyone_waits_for_unannounced();
  // The same for the one queue whose wait() was given this flag.
  static bool waits_for_unannounced(const std::atomic<bool>& closing);

 private:
  // a copy of the number in progress_, to be read without the lock
  std::atomic<uint64_t> recorded_ = 0;
  mutable lightmetal::Mutex mutex_;
  lightmetal::host::EventProgress progress_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
