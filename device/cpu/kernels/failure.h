#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/cpu/kernels/kernel_stack.h"

namespace lightmetal::device::cpu {

// " (at reader.cpp:12)", or nothing when the line is not known.
std::string at_line(const KernelRun& run, const KernelStack& stack);

// Takes what KernelRun::fail left and makes it the launch's error: who, what, and at which line.
// Needs more stack than a fiber may have left.
absl::Status take_failure(KernelRun& run);

// "the kernel's stack of 248 KiB is full"
absl::Status stack_is_full(const KernelRun& run);
[[noreturn]] void stop_on_full_stack(KernelRun& run);

// Fails the launch when the kernel's stack has no room for what a service needs. Services that
// take a lock call it first: when a stack overflows, only code that holds none can be left.
inline void require_stack(KernelRun& run) {
  constexpr uint64_t kNeeded = uint64_t{16} << 10;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (here - run.fiber->stack_begin() < kNeeded) [[unlikely]]
    stop_on_full_stack(run);
}

// Fails the launch unless a word of the kernel's own L1 is there.
void require_word(KernelRun& run, uint32_t l1_address);

}  // namespace lightmetal::device::cpu
