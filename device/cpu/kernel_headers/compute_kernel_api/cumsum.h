#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace lightmetal::kernel {

inline float cumsum_carry[32] = {};  // the last row

}  // namespace lightmetal::kernel

// Sums down the columns of a tile; with first = false they go on from the last row of the tile
// before.
namespace ckernel {

ALWI void cumsum_tile_init() {}
ALWI void cumsum_tile(uint32_t idst, bool first = true) {
  lightmetal::kernel::sfpu().cumulative_sum(lightmetal::kernel::context(), idst, first,
                                            lightmetal::kernel::cumsum_carry);
}

}  // namespace ckernel
