#pragma once

#include <chrono>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace lightmetal::capture {

// Finds moments at which no thread is inside a host API call, and keeps threads from beginning one
// while such a moment lasts. Nobody waits for another thread's call to end for longer than a
// moment, so that calls that wait for one another cannot lock each other up. Thread-safe.
class CallGate {
 public:
  // Before an outermost call. Waits while the gate is closed.
  void enter();

  // Behind it. With `wants_to_close`, true when nobody is inside: the gate is closed now, and the
  // caller has to open it. With a `patience`, calls that begin wait so long for those that run, so
  // that such a moment comes; not when so long a wait was in vain since the gate was last closed.
  [[nodiscard]] bool leave(bool wants_to_close, std::chrono::milliseconds patience);

  void open();

 private:
  void wait_for_quiet() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void stop_waiting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  Condition changed_;
  uint64_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // How long calls that begin wait for those that run.
  std::chrono::milliseconds patience_ ABSL_GUARDED_BY(mutex_){0};
  // So long a wait did not help: a call that runs waits for one that would begin, or is slow.
  std::chrono::milliseconds waited_in_vain_ ABSL_GUARDED_BY(mutex_){0};
};

}  // namespace lightmetal::capture
