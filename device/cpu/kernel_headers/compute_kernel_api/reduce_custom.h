#pragma once

#include "compute_kernel_api/reduce.h"

// Maxima of the rows of a block of tiles side by side, combined in the first column of one tile of
// DST. The scaler is 1. What is made for a shape of tiles, and the hardware's triggers, change
// nothing.
namespace ckernel {

template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_init(uint32_t ocb) {}
ALWI void reduce_block_max_row_init_runtime(uint32_t ocb, uint32_t block_ct_dim, uint32_t icb,
                                            uint32_t icb_scaler, auto... /*modes*/) {}
template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_reinit_short(uint32_t ocb) {}
ALWI void reduce_block_max_row_reinit_short_runtime(uint32_t ocb, uint32_t block_ct_dim,
                                                    auto... /*modes*/) {}
template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_reinit_minimal(uint32_t ocb) {}
ALWI void reduce_block_max_row_reinit_minimal_runtime(uint32_t ocb, uint32_t block_ct_dim,
                                                      auto... /*modes*/) {}
template <auto... modes>
ALWI void reduce_block_max_row_uninit(uint32_t icb) {}
ALWI void reduce_block_max_row_uninit_runtime(uint32_t icb, auto... /*modes*/) {}

template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row(uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index,
                               uint32_t idst) {
  for (uint32_t i = 0; i < block_ct_dim; ++i) {
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(icb, icb_scaler, row_start_index + i, 0,
                                                      idst);
  }
}

}  // namespace ckernel
