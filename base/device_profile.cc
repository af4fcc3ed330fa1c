#include "base/device_profile.h"

namespace lightmetal {

DeviceProfile blackhole_profile() {
  DeviceProfile profile;
  profile.arch = kBlackhole;
  profile.grid = {13, 10};
  profile.l1_size = 1'572'864;
  profile.dram_banks = 8;
  profile.dram_bank_size = 4'278'190'080;
  profile.dram_unreserved_base = 64;
  profile.dram_alignment = 64;
  profile.num_circular_buffers = 64;
  profile.dram_cores = {{0, 11}, {0, 2}, {0, 9}, {0, 5}, {9, 11}, {9, 3}, {9, 8}, {9, 6}};
  return profile;
}

std::optional<DeviceProfile> profile_named(absl::string_view arch) {
  if (arch == kWormhole) return DeviceProfile();
  if (arch == kBlackhole) return blackhole_profile();
  return std::nullopt;
}

}  // namespace lightmetal
