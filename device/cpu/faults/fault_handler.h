#pragma once

#include <cstddef>

#include "device/cpu/kernels/kernel_run.h"

namespace lightmetal::device::cpu {

struct ThreadState;

// Installs the handler of faults, once for the process. Thread-safe.
//
// A kernel that touches what is not memory, divides by zero or executes a trap must fail its
// launch, not the process; so must a kernel that makes a system call where a filter traps it. The
// handler therefore takes SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS when the faulting
// instruction is kernel code or the kernel's stack has overflowed: it leaves the kernel, and the
// launch fails with an error that names the kernel. Every other signal goes to the handler that was
// there before.
//
// Leaving a kernel in the middle is sound because kernel code holds no lock of ours; services that
// take one make sure of room on the stack first (require_stack). Whatever a kernel has changed of
// the processor's flags, modes and registers is set right, the thread pointer too. On architectures
// other than x86-64 and AArch64 nothing is installed.
void install_fault_handler();

// Gives this thread a stack for signal handlers, since a kernel may have overflowed its own stack,
// and makes the thread ready for guarded memory (memory_guard.h). To be called in every thread that
// runs kernels, before it does; a second call costs next to nothing.
void prepare_thread_for_faults();

// Writes the name of a kernel that runs at this moment into `text`, as name_of() has it, cut to
// `size` bytes with a zero at the end. Writes nothing when no kernel runs, or none on a thread
// whose signal stack is ours (signal_stack.h). For signal handlers. The name may be garbage when
// the kernel has written over it.
void name_running_kernel(char* text, size_t size);

// Notes that this thread has left `run` because its kernel polls, so that name_running_kernel()
// names it between two polls, until the thread runs a kernel again. Null forgets it: call this
// before the run is destroyed.
void note_polling_kernel(const KernelRun* run);

// While it lives, faults on this thread are looked at as those of `run`'s kernel. REQUIRES:
// prepare_thread_for_faults() has been called on this thread.
class FaultScope {
 public:
  explicit FaultScope(KernelRun& run);
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

 private:
  ThreadState& thread_;
};

}  // namespace lightmetal::device::cpu
