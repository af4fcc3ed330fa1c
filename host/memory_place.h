#pragma once

#include <compare>
#include <cstdint>

#include "absl/status/status.h"
#include "base/device_profile.h"

namespace lightmetal::host {

// One bank or one core's memory on a device, as it is written and read by address.
struct MemoryPlace {
  enum class Kind : uint8_t { kDram, kL1, kEthernetL1 };

  Kind kind = Kind::kDram;
  uint32_t x = 0;  // the DRAM bank, or the core's logical coordinate
  uint32_t y = 0;

  friend auto operator<=>(const MemoryPlace&, const MemoryPlace&) = default;
};

// The device has that bank or core. `device_id` is as errors name it.
absl::Status check_place(const MemoryPlace& place, const DeviceProfile& profile,
                         uint64_t device_id);

// What is read there are whole words.
absl::Status check_words(uint64_t size);

// Bytes [address, address + size) are there. REQUIRES: check_place().
absl::Status check_range(const MemoryPlace& place, const DeviceProfile& profile, uint64_t address,
                         uint64_t size);

}  // namespace lightmetal::host
