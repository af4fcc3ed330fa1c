#pragma once

#include <cstdint>

#include "base/core.h"
#include "base/device_profile.h"

// Where things are on the network-on-chip (NoC). Pure functions of the profile, so host, kernels
// and a replay elsewhere agree on every coordinate. Programs must treat coordinates as opaque.
namespace lightmetal {

// REQUIRES: `logical` lies in profile.grid.
constexpr Core noc_coordinate_of_worker(const DeviceProfile& profile, Core logical) {
  return {profile.first_worker.x + logical.x, profile.first_worker.y + logical.y};
}

// Each bank is an endpoint of its own, in a row without workers. REQUIRES: bank <
// profile.dram_banks.
constexpr Core noc_coordinate_of_dram_bank(const DeviceProfile& profile, uint32_t bank) {
  const bool first_row_is_free = profile.first_worker.y > 0;
  return {bank, first_row_is_free ? 0 : profile.first_worker.y + profile.grid.y};
}

// REQUIRES: index < profile.ethernet_cores.
constexpr Core noc_coordinate_of_ethernet(const DeviceProfile& profile, uint32_t index) {
  return {profile.first_ethernet.x + index, profile.first_ethernet.y};
}

}  // namespace lightmetal
