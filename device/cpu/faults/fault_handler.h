#pragma once

#include <cstddef>

#include "device/cpu/kernels/kernel_run.h"

namespace lightmetal::device::cpu {

struct ThreadState;

// A kernel that touches what is not memory, divides by zero or executes a trap must fail its
// launch, not the process; so must one that makes a system call where a filter traps it. So
// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS are handled when the faulting instruction is
// kernel code or the kernel's stack has overflowed: the kernel is left, and the launch fails with a
// text that names it. All others go to the handler that was there before. Kernel code holds no lock
// of ours, which is what makes leaving it sound. Whatever a kernel has set of the processor's
// flags, modes and registers is set right, the thread pointer too. On architectures other than
// x86-64 and AArch64 nothing is installed.
void install_fault_handler();

// Gives this thread a stack for signal handlers, since a kernel may have overflowed its own, and
// makes it ready for guarded memory (memory_guard.h). Once per thread; cheap again.
void prepare_thread_for_faults();

// Writes the name of a kernel that runs at this moment into `text`, as name_of has it, and less
// where there is less room; nothing when none runs. For signal handlers; the name is only as good
// as what the kernel has left of it.
void name_running_kernel(char* text, size_t size);

// While it lives, this thread runs `run`'s fiber.
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
