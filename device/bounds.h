#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/core.h"
#include "base/device_profile.h"

// The range checks every backend makes before it touches memory. OutOfRange names the place and the
// numbers.
namespace lightmetal::device {

// A range may leave its buffer, but not the bank.
absl::Status check_dram_range(const DeviceProfile& profile, uint32_t bank, uint64_t address,
                              uint64_t size);
absl::Status check_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                            uint64_t size);
absl::Status check_ethernet_l1_range(const DeviceProfile& profile, Core core, uint64_t address,
                                     uint64_t size);

}  // namespace lightmetal::device
