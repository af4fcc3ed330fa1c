#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/device_profile.h"

namespace lightmetal {

// Addresses [begin, end) of every bank of a memory.
struct MemoryRegion {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
  friend bool operator==(const MemoryRegion&, const MemoryRegion&) = default;
};

// Where the buffers of each type lie. Borders are multiples of the memory's alignment.
struct DeviceMemory {
  MemoryRegion dram;
  MemoryRegion trace;  // at the top of DRAM
  MemoryRegion l1;
  MemoryRegion l1_small;  // at the top of L1

  friend bool operator==(const DeviceMemory&, const DeviceMemory&) = default;
};

// How a device that was opened with these sizes, in bytes for each bank, divides its memory. The
// error says which region does not fit. REQUIRES: the alignments of the profile are powers of two.
absl::StatusOr<DeviceMemory> memory_of(const DeviceProfile& profile, uint64_t l1_small_size,
                                       uint64_t trace_region_size);

}  // namespace lightmetal
