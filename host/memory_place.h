#pragma once

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "base/device_profile.h"

namespace lightmetal::host {

// One DRAM bank, or the L1 of one core, which programs write and read by address rather than
// through a buffer. Rules return InvalidArgument.
struct MemoryPlace {
  enum class Kind : uint8_t { kDram, kL1, kEthernetL1 };

  Kind kind = Kind::kDram;
  uint32_t x = 0;  // the DRAM bank, or the core's logical coordinate
  uint32_t y = 0;

  friend auto operator<=>(const MemoryPlace&, const MemoryPlace&) = default;
};

// The device has that bank or core. `device_id` is the id by which the error names the device.
absl::Status check_place(const MemoryPlace& place, const DeviceProfile& profile,
                         uint64_t device_id);

// A read into words reads whole words.
absl::Status check_words(uint64_t size);

// Bytes [address, address + size) lie in the memory. REQUIRES: check_place() is OK.
absl::Status check_range(const MemoryPlace& place, const DeviceProfile& profile, uint64_t address,
                         uint64_t size);

}  // namespace lightmetal::host
