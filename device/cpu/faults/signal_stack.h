#pragma once

#include <cstdint>
#include <optional>

namespace lightmetal::device::cpu {

struct KernelRun;

// What the handler of faults knows of a thread. A kernel may have changed every register of the
// thread, the thread pointer too, so none of this is found through it.
struct ThreadState {
  KernelRun* running = nullptr;
  uint64_t thread_pointer = 0;
  int handling = 0;  // faults, one within the other
};

// A stack for this thread's signal handlers, with its ThreadState at a place that follows from the
// stack's address. A thread that has another one, such as a sanitizer's, keeps it.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

  // Null when the thread has no such stack.
  ThreadState* state() const { return state_; }

  // Of the signal handler whose frame this is; null when it does not run on such a stack.
  static ThreadState* state_at(const void* frame);

  // What some thread runs; null when none does. Safe in a signal handler.
  static const KernelRun* any_running();

 private:
  std::optional<uint32_t> place_;
  ThreadState* state_ = nullptr;
};

}  // namespace lightmetal::device::cpu
