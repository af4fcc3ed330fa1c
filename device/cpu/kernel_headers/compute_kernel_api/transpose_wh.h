#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void transpose_wh_init(uint32_t icb, uint32_t ocb = 16, auto... /*line*/) {}
ALWI void transpose_wh_init_short(uint32_t icb, auto... /*line*/) {}
ALWI void transpose_wh_uninit(uint32_t icb, uint32_t ocb = 16) {}

// A tile of a circular buffer, rows made columns, to DST.
ALWI void transpose_wh_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
  lightmetal::kernel::tiles().transpose_tile(lightmetal::kernel::context(), icb, itile, idst);
}

// As of 2026.
template <auto... modes>
ALWI void transpose_init(uint32_t icb, auto... /*line*/) {}
template <auto... modes>
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
  transpose_wh_tile(icb, itile, idst);
}
template <auto... modes>
ALWI void transpose_block(uint32_t icb, uint32_t start_itile, uint32_t start_idst,
                          uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i) transpose_wh_tile(icb, start_itile + i, start_idst + i);
}

}  // namespace ckernel
