#pragma once

#include <cstdint>

#include "base/core.h"
#include "base/device_profile.h"

// Where cores and banks are on the network-on-chip (NoC). All functions compute with the profile
// alone, so that the host, kernels and a replay on another machine agree on every coordinate.
// Programs do best to treat coordinates as opaque; those of DRAM are the chip's, since programs
// write them down.
namespace lightmetal {

// REQUIRES: `logical` lies in profile.grid.
constexpr Core noc_coordinate_of_worker(const DeviceProfile& profile, Core logical) {
  return {profile.first_worker.x + logical.x, profile.first_worker.y + logical.y};
}

// Each bank is an endpoint of its own. Where the profile does not say the banks' coordinates, they
// are in a row without workers. REQUIRES: bank < profile.dram_banks, and check_dram_cores(profile)
// is OK.
inline Core noc_coordinate_of_dram_bank(const DeviceProfile& profile, uint32_t bank) {
  if (!profile.dram_cores.empty()) return profile.dram_cores[bank];
  const bool first_row_is_free = profile.first_worker.y > 0;
  return {bank, first_row_is_free ? 0 : profile.first_worker.y + profile.grid.y};
}

// REQUIRES: index < profile.ethernet_cores.
constexpr Core noc_coordinate_of_ethernet(const DeviceProfile& profile, uint32_t index) {
  return {profile.first_ethernet.x + index, profile.first_ethernet.y};
}

}  // namespace lightmetal
