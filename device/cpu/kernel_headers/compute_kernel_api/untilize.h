#pragma once

#include "compute_kernel_api/common_globals.h"

// Tiles to rows: `block` tiles become as many rows as a tile has, of `block` tiles' elements each.
namespace ckernel {

template <auto... modes>
ALWI void untilize_init(uint32_t icb, uint32_t ocb = 16, auto... /*line*/) {}
ALWI void untilize_init_short(uint32_t icb) {}
ALWI void untilize_uninit(uint32_t icb) {}

// The rows follow what was packed since the last cb_push_back. N is how many tiles the hardware
// takes at once; the result does not depend on it.
template <int N = 1, auto... modes>
ALWI void untilize_block(uint32_t icb, uint32_t block, uint32_t ocb) {
  auto& out = lightmetal::kernel::circular_buffer(static_cast<int32_t>(ocb));
  lightmetal::kernel::tiles().untilize(lightmetal::kernel::packing_context(), icb, block, ocb, 0,
                                       out.packed_tiles);
  out.packed_tiles += block;
}

}  // namespace ckernel
