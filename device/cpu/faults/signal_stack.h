#pragma once

#include <cstdint>
#include <optional>

namespace lightmetal::device::cpu {

struct KernelRun;

// What the handler of faults knows of a thread. A kernel may have changed every register of the
// thread, the thread pointer too, so the handler finds this struct without the thread pointer.
struct ThreadState {
  KernelRun* running = nullptr;  // the kernel that the thread runs; null: none
  // The kernel that the thread ran last, if that only polls and is to be resumed; null otherwise.
  const KernelRun* polling = nullptr;
  uint64_t thread_pointer = 0;  // what the thread pointer must be
  int handling = 0;             // how many faults are being handled, one within the other
};

// A stack for the signal handlers of the thread that makes it, with the thread's ThreadState at a
// place that follows from the stack's address. A thread that has a signal stack already, such as a
// sanitizer's, keeps that one and has no ThreadState here; so does a thread for which there is no
// memory. To be destroyed by the thread that made it.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

  // Null when the thread has no stack of this kind.
  ThreadState* state() const { return state_; }

  // The state of the thread on whose stack `frame` lies; null when it is no stack of this kind.
  static ThreadState* state_at(const void* frame);

  // A kernel that some thread with such a stack runs; null when none does. Safe in a signal
  // handler. The kernel may end at any moment.
  static const KernelRun* any_running();

 private:
  std::optional<uint32_t> place_;
  ThreadState* state_ = nullptr;
};

}  // namespace lightmetal::device::cpu
