#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/core.h"
#include "device/cpu/machine/word_waiters.h"
#include "device/cpu/memory/memory.h"
#include "device/device.h"
#include "device/ethernet.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

struct KernelRun;
class LinkEnd;

// A core of the grid, or an Ethernet core. What its kernels share belongs to the worker that runs
// them; `waiters` is for all.
struct CoreState {
  // What L1 below `unreserved` a NoC may write: so many bytes of semaphores.
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
  const uint32_t unreserved_base;  // below it L1 is the system's
  const uint32_t semaphore_bytes;  // from kernel_abi::kSemaphoreAddress on
  std::byte* const l1;
  const Place memory;                // the same L1
  std::byte* initialised = nullptr;  // marks of its L1 (initialised_memory.h); null: not checked
  const uint64_t l1_size;
  WordWaiters waiters;
  // Behind its L1, for kernels write to them.
  PageCountersOfCore& counters;
  std::array<KernelRun*, kProcessors> runs{};  // of the current launch, in the plan's order
  uint32_t running = 0;                        // how many of them have not ended
  uint32_t globally_allocated = 0;             // bit i: circular buffer i lies in a buffer
  uint32_t not_under_way = 0;                  // how many are not (LaunchState::all_under_way)
  EthernetEnd place;                           // of an Ethernet core
  LinkEnd* link = nullptr;                     // its wire; null when it has none
};

}  // namespace lightmetal::device::cpu
