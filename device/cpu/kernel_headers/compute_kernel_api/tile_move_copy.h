#pragma once

#include "compute_kernel_api/common_globals.h"

// Copying tiles from a circular buffer to DST.
namespace ckernel {

ALWI void copy_tile_to_dst_init_short(uint32_t cbid = 0, uint32_t transpose = 0) {
  lightmetal::kernel::refuse_transpose(transpose);
}
ALWI void copy_tile_init(uint32_t cbid = 0) {}
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid,
                                              uint32_t transpose = 0) {
  lightmetal::kernel::refuse_transpose(transpose);
}

ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
  auto* context = lightmetal::kernel::context();
  context->services->copy_tile(context, in_cb_id, in_tile_index, dst_tile_index);
}

ALWI void copy_block_matmul_partials(uint32_t in_cb_id, uint32_t start_in_tile_index,
                                     uint32_t start_dst_tile_index, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i);
}

}  // namespace ckernel
