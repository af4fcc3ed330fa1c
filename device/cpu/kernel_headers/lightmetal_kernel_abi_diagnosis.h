#pragma once

#include "lightmetal_kernel_abi.h"

// What is checked and counted while a kernel runs.
namespace lightmetal::kernel_abi {

// Bits of Context::checks.
enum Check : uint32_t {
  kDelayTransfers = 1,  // NoC transfers are done at their barrier, so that a missing one shows
};

enum class NocBarrier : uint32_t {
  kReads = 0,
  kWrites = 1,      // arrived
  kWritesSent = 2,  // the source may be used again
  kAtomics = 3,
  kAll = 4
};

enum class Event : uint32_t { kProfilerZone = 0, kWatcher = 1 };

struct DiagnosisServices {
  // To be called at a barrier when kDelayTransfers is set.
  void (*noc_barrier)(Context*, NocBarrier barrier);
  // Counts a profiler zone or watcher call. `name` lies in the kernel's own memory.
  void (*count_event)(Context*, Event event, const char* name);
};

}  // namespace lightmetal::kernel_abi
