#pragma once

#include <cstdint>

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/reconfig_data_format.h"
#include "compute_kernel_api/reduce.h"

// What the block's compute kernels share.

// Does `operation`, which leaves its result in tile 0 of DST, and pushes that to a circular buffer.
template <typename Operation>
ALWI void produce_tile(uint32_t cb, Operation operation) {
  tile_regs_acquire();
  operation();
  tile_regs_commit();
  cb_reserve_back(cb, 1);
  pack_reconfig_data_format(cb);
  tile_regs_wait();
  pack_tile(0, cb);
  tile_regs_release();
  cb_push_back(cb, 1);
}

// Reduces the rows of a row of tiles to one column: the first of tile 0 of DST.
template <PoolType type>
ALWI void reduce_rows(uint32_t cb, uint32_t cb_scaler, uint32_t num_tiles, uint32_t cb_result) {
  cb_wait_front(cb_scaler, 1);
  cb_wait_front(cb, num_tiles);
  reconfig_data_format(cb, cb_scaler);
  reduce_init_delta<false, type, ReduceDim::REDUCE_ROW>(cb, cb_scaler, cb_result);
  for (uint32_t i = 0; i < num_tiles; ++i) {
    reduce_tile<type, ReduceDim::REDUCE_ROW>(cb, cb_scaler, i, 0, 0);
  }
  reduce_revert_delta<ReduceDim::REDUCE_ROW>(cb_result);
}
