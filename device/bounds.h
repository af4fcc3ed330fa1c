#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/core.h"
#include "base/device_profile.h"

// The checks that every backend makes before it touches memory, so that a program gets the same
// error from each of them. Each function returns OutOfRange, with the name of the memory and the
// numbers, when the bank or the core does not exist or when [address, address + size) leaves its
// memory. An empty range at the very end of a memory lies inside it.
namespace lightmetal::device {

// The check knows banks and not buffers: a range may leave the buffer that it is meant for.
absl::Status check_dram_range(const DeviceProfile& profile, uint32_t bank, uint64_t address,
                              uint64_t size);
absl::Status check_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                            uint64_t size);
absl::Status check_ethernet_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                                     uint64_t size);

}  // namespace lightmetal::device
