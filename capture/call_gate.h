#pragma once

#include <chrono>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace lightmetal::capture {

// Finds moments at which no thread is inside a host API call, and keeps threads from beginning one
// while such a moment lasts. No thread waits long for another thread's call to end, so calls that
// wait for one another cannot lock each other up. Thread-safe. A flight recorder takes its
// snapshots in such moments.
class CallGate {
 public:
  // Called before an outermost call. Waits while the gate is closed, at most a minute.
  void enter();

  // Called after an outermost call. With `wants_to_close` it returns true when no other thread is
  // inside a call: the gate is closed then, and the caller opens it. With a `patience`, calls that
  // would begin wait that long for those that run, so that such a moment comes. They do not wait
  // again when as long a wait has brought no such moment since the gate was last closed.
  [[nodiscard]] bool leave(bool wants_to_close, std::chrono::milliseconds patience);

  // Opens the gate. REQUIRES: leave() has returned true to this thread.
  void open();

 private:
  void wait_for_quiet() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void stop_waiting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  Condition changed_;
  uint64_t inside_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // How long calls that would begin wait for those that run; 0: not at all.
  std::chrono::milliseconds patience_ ABSL_GUARDED_BY(mutex_){0};
  // The longest such wait that did not help: a call that runs is slow, or waits for a call that
  // would begin.
  std::chrono::milliseconds waited_in_vain_ ABSL_GUARDED_BY(mutex_){0};
};

// The gate of the process's calls.
CallGate& call_gate();

// While it lives, no flight recorder takes a snapshot, as during a call. Waits for one that is
// being taken. Calls that its thread makes meanwhile wait for no moment without calls: there is
// none. Belongs to the thread that made it.
#ifdef LIGHTMETAL_ENABLE_CAPTURE
class GatePass {
 public:
  GatePass();
  ~GatePass();
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;

 private:
  const bool is_gated_;
};
#else
class GatePass {
 public:
  GatePass() {}
  ~GatePass() {}
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;
};
#endif

}  // namespace lightmetal::capture
