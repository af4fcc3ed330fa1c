#pragma once

#include <cstdint>
#include <tt-metalium/hal.hpp>

namespace tt::tt_metal {

// How the chips of a host are wired, by the names of upstream's products.
enum class ClusterType : uint8_t {
  INVALID = 0,
  N150 = 1,
  N300 = 2,
  T3K = 3,
  GALAXY = 4,
  TG = 5,
  P100 = 6,
  P150 = 7,
  P150_X2 = 8,
  P150_X4 = 9,
  SIMULATOR_WORMHOLE_B0 = 10,
  SIMULATOR_BLACKHOLE = 11,
  N300_2x2 = 12,
  P150_X8 = 13,
  P300 = 14,
  SIMULATOR_QUASAR = 15,
  BLACKHOLE_GALAXY = 16,
  P300_X2 = 17,
  CUSTOM = 18,
};

// The board of one chip, whatever their number is: each chip is reached by itself.
inline ClusterType GetClusterType() {
  return hal::get_arch() == tt::ARCH::BLACKHOLE ? ClusterType::P150 : ClusterType::N150;
}

}  // namespace tt::tt_metal
