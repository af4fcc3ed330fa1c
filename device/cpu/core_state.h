#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/core.h"
#include "device/cpu/kernel_headers/lightmetal_kernel_abi.h"
#include "device/cpu/word_waiters.h"

namespace lightmetal::device::cpu {

// A core of the grid. What its kernels share belongs to the worker that runs them; `waiters` is for
// all.
struct CoreState {
  CoreState(Core where, std::byte* memory) : core(where), l1(memory), waiters(memory) {}

  const Core core;
  std::byte* const l1;
  WordWaiters waiters;
  std::array<kernel_abi::PageCounters, kernel_abi::kMaxCircularBuffers> counters{};
  std::array<KernelRun*, kProcessors> runs{};  // of the current launch, in the plan's order
  uint32_t running = 0;                        // how many of them have not ended
};

}  // namespace lightmetal::device::cpu
