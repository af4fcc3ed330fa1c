#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace tt::tt_metal {

// How far an event has come. Each recording has a number, counted from 1. Those of different queues
// are reached in any order. Shared by the event and the queues that hold it, so that the event may
// go while they do. Thread-safe.
class EventProgress {
 public:
  // Announces a recording and returns its number.
  uint64_t record();
  // The last recording that was announced; 0 when there was none.
  uint64_t recorded() const { return recorded_.load(); }

  void reach(uint64_t recording);
  bool has_reached(uint64_t recording) const;
  // From now on every recording counts as reached, of those to come, too.
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
  std::atomic<uint64_t> recorded_ = 0;
  mutable lightmetal::Mutex mutex_;
  std::set<uint64_t> pending_ ABSL_GUARDED_BY(mutex_);  // announced and not reached
  bool no_waits_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tt::tt_metal
