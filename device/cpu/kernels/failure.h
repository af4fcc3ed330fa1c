#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/kernels/kernel_stack.h"

namespace lightmetal::device::cpu {

// The source line of a stack as errors end with it: " (at reader.cpp:12)", or nothing when the line
// is not known. Needs more stack than a fiber may have left, so it runs on a worker's own stack.
std::string at_line(const KernelRun& run, const KernelStack& stack);

// Takes the failure that KernelRun::fail has left and makes it the launch's error: which kernel,
// what it did, and at which line. Like at_line(), it runs on a worker's own stack. The run has no
// failure afterwards.
absl::Status take_failure(KernelRun& run);

// Fails the launch because the kernel's stack is full. Called on the kernel's fiber, where next to
// nothing of the stack may be left: the function takes a few hundred bytes and no lock, so that the
// fault handler may leave it, too, where even those are not there.
[[noreturn]] void stop_on_full_stack(KernelRun& run, KernelFrame caller);

// Fails the launch when the kernel's stack has no room for what a service needs. A service that
// takes a lock, also one of malloc(), calls this function first: when a stack overflows, the fault
// handler leaves the code that ran, and only code that holds no lock can be left. The error names
// the kernel's line when the service itself calls this function: see calling_frame().
inline __attribute__((always_inline)) void require_stack(KernelRun& run) {
  constexpr uint64_t kNeeded = uint64_t{16} << 10;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (here - run.fiber->stack_begin() < kNeeded) [[unlikely]]
    stop_on_full_stack(run, calling_frame());
}

// Fails the launch unless an aligned word of the kernel's own L1 lies at the address.
void require_word(KernelRun& run, uint32_t l1_address);

}  // namespace lightmetal::device::cpu
