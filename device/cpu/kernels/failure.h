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

// "the kernel's stack of 248 KiB is full"
absl::Status stack_is_full(const KernelRun& run);
// Fails the launch with that error. Called on the kernel's fiber.
[[noreturn]] void stop_on_full_stack(KernelRun& run);

// Fails the launch when the kernel's stack has no room for what a service needs. A service that
// takes a lock, also one of malloc(), calls this function first: when a stack overflows, the fault
// handler leaves the code that ran, and only code that holds no lock can be left.
inline void require_stack(KernelRun& run) {
  constexpr uint64_t kNeeded = uint64_t{16} << 10;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (here - run.fiber->stack_begin() < kNeeded) [[unlikely]]
    stop_on_full_stack(run);
}

// Fails the launch unless an aligned word of the kernel's own L1 lies at the address.
void require_word(KernelRun& run, uint32_t l1_address);

}  // namespace lightmetal::device::cpu
