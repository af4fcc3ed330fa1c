#pragma once

#include <atomic>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"
#include "host/event.h"

namespace tt::tt_metal {

// A host::EventProgress with those who wait for it. Shared by the event and the queues that hold
// it, so that the event may go while they do. Thread-safe.
class EventProgress {
 public:
  uint64_t record();
  uint64_t recorded() const { return recorded_.load(); }

  void reach(uint64_t recording);
  bool has_reached(uint64_t recording) const;
  void end_waits();

  // Waits until `recording` is reached. False when it gave up, which it does when `closing` is set
  // and that recording was not even announced. wake_waiters() must be called after `closing` is
  // set.
  bool wait(uint64_t recording, const std::atomic<bool>& closing) const;
  void wait(uint64_t recording) const;

  static void wake_waiters();

  // True while a queue waits for a recording that was not even announced: nothing ends that wait
  // but a call that is yet to come.
  static bool anyone_waits_for_unannounced();
  // The same of the queue whose wait() was given this flag.
  static bool waits_for_unannounced(const std::atomic<bool>& closing);

 private:
  std::atomic<uint64_t> recorded_ = 0;  // as progress_ has it, to be read without the lock
  mutable lightmetal::Mutex mutex_;
  lightmetal::host::EventProgress progress_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
