#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/core.h"
#include "device/cpu/machine/compute_parts.h"
#include "device/cpu/machine/word_waiters.h"
#include "device/cpu/memory/memory.h"
#include "device/device.h"
#include "device/ethernet.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

struct KernelRun;
class LinkEnd;

// The state of one core of the grid, or of one Ethernet core. It lives as long as the Machine, and
// its address never changes. While a launch runs on the core, all members that are not constant
// belong to the one worker that runs the core's kernels; only `waiters` is for all threads.
struct CoreState {
  // `its_l1` is the core's L1 in the device's memory, of `size` bytes. Below `unreserved` the L1
  // belongs to the system, but for `its_semaphore_bytes` bytes of semaphores.
  CoreState(CoreKind its_kind, Core where, std::byte* its_l1, uint64_t size, uint32_t unreserved,
            uint32_t its_semaphore_bytes)
      : kind(its_kind),
        core(where),
        unreserved_base(unreserved),
        semaphore_bytes(its_semaphore_bytes),
        l1(its_l1),
        memory{its_l1},
        l1_size(size),
        waiters(its_l1),
        counters(Memory::page_counters(its_l1)) {}

  const CoreKind kind;
  const Core core;
  const uint32_t unreserved_base;  // below this address L1 belongs to the system
  const uint32_t semaphore_bytes;  // from kernel_abi::kSemaphoreAddress on
  std::byte* const l1;
  const Place memory;                // the same L1, as NoC transfers address memory
  std::byte* initialised = nullptr;  // marks of its L1 (initialised_memory.h); null: not checked
  const uint64_t l1_size;
  WordWaiters waiters;
  // In device memory beyond the core's L1, because kernel code itself writes to the counters.
  PageCountersOfCore& counters;
  std::array<KernelRun*, kMostRuns> runs{};  // of the current launch, in the plan's order
  uint32_t running = 0;                      // how many of `runs` have not ended
  uint64_t globally_allocated = 0;           // bit i: circular buffer i lies in a buffer
  int64_t begun = 0;                         // of the launch's kernels, by timeline::now()
  uint32_t not_under_way = 0;                // how many of them (LaunchState::all_under_way)
  EthernetEnd place;                         // where an Ethernet core lies among all chips
  std::unique_ptr<ComputeParts> parts;       // null until a compute kernel runs here in parts
  LinkEnd* link = nullptr;                   // the core's end of its wire; null without a wire
};

}  // namespace lightmetal::device::cpu
