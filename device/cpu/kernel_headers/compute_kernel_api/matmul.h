#pragma once

#include "compute_kernel_api/common_globals.h"

namespace lightmetal::kernel {

// Set by the initialisers; a product transposes its right tiles when they or the call say so.
inline uint32_t transpose_right = 0;

}  // namespace lightmetal::kernel

// Products of tiles, added to DST. `transpose` transposes the right one.
namespace ckernel {

ALWI void mm_init(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1, uint32_t out_cb_id = 16,
                  uint32_t transpose = 0, auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_init_short(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1, uint32_t transpose = 0,
                        auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_init_short_with_dt(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1,
                                uint32_t c_in_old_srca = 2, uint32_t transpose = 0) {
  lightmetal::kernel::transpose_right = transpose;
}

ALWI void matmul_tiles(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index,
                       uint32_t in1_tile_index, uint32_t idst, uint32_t transpose = 0) {
  auto* context = lightmetal::kernel::context();
  context->services->matmul_tiles(context, in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index,
                                  idst, transpose | lightmetal::kernel::transpose_right);
}

ALWI void mm_block_init(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1, uint32_t out_cb_id = 16,
                        uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
                        uint32_t kt_dim = 1, auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_block_init_short(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1,
                              uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
                              uint32_t kt_dim = 1, auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_block_init_short_with_dt(uint32_t in0_cb_id = 0, uint32_t in1_cb_id = 1,
                                      uint32_t old_in1_cb_id = 2, uint32_t transpose = 0,
                                      uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1,
                                      auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_block_init_short_with_both_dt(uint32_t in0_cb_id, uint32_t in1_cb_id,
                                           uint32_t old_in0_cb_id, uint32_t old_in1_cb_id,
                                           uint32_t transpose = 0, uint32_t ct_dim = 1,
                                           uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
  lightmetal::kernel::transpose_right = transpose;
}

// One step of the inner dimension of a product of blocks: rt_dim tiles of a column of the left
// block, whose rows are kt_dim tiles long, times ct_dim tiles of a row of the right one; the rt_dim
// x ct_dim results follow each other in DST.
ALWI void matmul_block(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index,
                       uint32_t in1_tile_index, uint32_t idst, uint32_t transpose, uint32_t ct_dim,
                       uint32_t rt_dim, uint32_t kt_dim, auto... /*line*/) {
  lightmetal::kernel::tiles().matmul_block(
      lightmetal::kernel::context(), in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst,
      transpose | lightmetal::kernel::transpose_right, ct_dim, rt_dim, kt_dim);
}

// ---- As of 2026 ----

ALWI void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0,
                      auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void matmul_block_init(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t transpose = 0,
                            uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1,
                            auto... /*line*/) {
  lightmetal::kernel::transpose_right = transpose;
}
ALWI void mm_uninit(uint32_t in0_cb_id, uint32_t in1_cb_id) {}

}  // namespace ckernel
