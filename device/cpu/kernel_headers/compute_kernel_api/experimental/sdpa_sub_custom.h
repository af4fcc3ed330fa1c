#pragma once

#include "compute_kernel_api/bcast.h"

// A row of ct_dim tiles less the first column of one tile, each to the next tile of DST, as of late
// 2026.
namespace ckernel {

ALWI void sub_bcast_cols_init_short_custom(uint32_t icb0, uint32_t icb1, uint32_t ct_dim,
                                           auto... /*line*/) {
  sub_bcast_cols_init(icb0, icb1);
}
ALWI void sub_tiles_bcast_cols_custom(uint32_t icb0, uint32_t icb1, uint32_t itile0,
                                      uint32_t itile1, uint32_t idst, uint32_t ct_dim) {
  for (uint32_t i = 0; i < ct_dim; ++i)
    sub_tiles_bcast_cols(icb0, icb1, itile0 + i, itile1, idst + i);
}

}  // namespace ckernel
