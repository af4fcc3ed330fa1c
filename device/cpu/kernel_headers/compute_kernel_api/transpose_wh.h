#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void transpose_wh_init(uint32_t icb, uint32_t ocb = 16) {}
ALWI void transpose_wh_init_short(uint32_t icb) {}
ALWI void transpose_wh_uninit(uint32_t icb, uint32_t ocb = 16) {}

// A tile of a circular buffer, rows made columns, to DST.
ALWI void transpose_wh_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
  lightmetal::kernel::tiles().transpose_tile(lightmetal::kernel::context(), icb, itile, idst);
}

// As of 2026.
ALWI void transpose_init(uint32_t icb) {}
ALWI void transpose_tile(uint32_t icb, uint32_t itile, uint32_t idst) {
  transpose_wh_tile(icb, itile, idst);
}

}  // namespace ckernel
