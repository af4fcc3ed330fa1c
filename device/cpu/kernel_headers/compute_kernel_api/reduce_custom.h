#pragma once

#include "compute_kernel_api/reduce.h"

// Maxima of the rows of a block of tiles side by side, combined in the first column of one tile of
// DST. The scaler is 1. What is made for a shape of tiles, and the hardware's triggers, change
// nothing.
namespace lightmetal::kernel {

// Set by the initialisers that are told at run time.
inline uint32_t tiles_of_max_block = 0;

FORCE_INLINE void max_of_rows(uint32_t cb, uint32_t cb_scaler, uint32_t first, uint32_t count,
                              uint32_t dst) {
  for (uint32_t i = 0; i < count; ++i) {
    tiles().reduce_tile(context(), ReduceOp::kMax, ReduceDim::kRow, cb, cb_scaler, first + i, 0,
                        dst);
  }
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_init(uint32_t ocb = 0) {}
ALWI void reduce_block_max_row_init_runtime(uint32_t ocb, uint32_t block_ct_dim,
                                            auto... /*operands, modes*/) {
  lightmetal::kernel::tiles_of_max_block = block_ct_dim;
}
// As of April 2026, without a circular buffer.
template <typename Trigger = bool>
requires __is_same(Trigger, bool) ALWI
    void reduce_block_max_row_init_runtime(uint32_t block_ct_dim, Trigger respect_trigger = {}) {
  lightmetal::kernel::tiles_of_max_block = block_ct_dim;
}
template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_reinit_short(uint32_t ocb = 0) {}
ALWI void reduce_block_max_row_reinit_short_runtime(uint32_t ocb, uint32_t block_ct_dim,
                                                    auto... /*modes*/) {
  lightmetal::kernel::tiles_of_max_block = block_ct_dim;
}
template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row_reinit_minimal(uint32_t ocb = 0) {}
ALWI void reduce_block_max_row_reinit_minimal_runtime(uint32_t ocb, uint32_t block_ct_dim,
                                                      auto... /*modes*/) {
  lightmetal::kernel::tiles_of_max_block = block_ct_dim;
}
template <auto... modes>
ALWI void reduce_block_max_row_uninit(uint32_t icb = 0) {}
ALWI void reduce_block_max_row_uninit_runtime(uint32_t icb, auto... /*modes*/) {}

template <uint32_t block_ct_dim, auto... modes>
ALWI void reduce_block_max_row(uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index,
                               uint32_t idst) {
  lightmetal::kernel::max_of_rows(icb, icb_scaler, row_start_index, block_ct_dim, idst);
}
// Of as many tiles as the initialiser said.
template <auto... modes>
ALWI void reduce_block_max_row_runtime(uint32_t icb, uint32_t icb_scaler, uint32_t row_start_index,
                                       uint32_t idst, auto... /*modes*/) {
  lightmetal::kernel::max_of_rows(icb, icb_scaler, row_start_index,
                                  lightmetal::kernel::tiles_of_max_block, idst);
}

}  // namespace ckernel
