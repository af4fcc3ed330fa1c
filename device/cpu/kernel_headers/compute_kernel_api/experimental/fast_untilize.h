#pragma once

#include "compute_kernel_api/common_globals.h"

// Rows of full_ct_dim tiles, as of 2026. Indices count tiles from the read and the write pointer.
namespace ckernel {

template <uint32_t full_ct_dim, auto... modes>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb, auto... /*line*/) {}
template <uint32_t full_ct_dim, auto... modes>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, auto... /*line*/) {}
template <uint32_t full_ct_dim, auto... modes>
ALWI void fast_untilize_uninit(uint32_t ocb) {}
template <uint32_t full_ct_dim, auto... modes>
ALWI void fast_untilize_block(uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0,
                              uint32_t output_tile_index = 0) {
  lightmetal::kernel::tiles().untilize(lightmetal::kernel::packing_context(), icb, full_ct_dim, ocb,
                                       input_tile_index, output_tile_index);
}

}  // namespace ckernel
