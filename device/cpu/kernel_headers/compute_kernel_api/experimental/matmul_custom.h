#pragma once

#include "compute_kernel_api/matmul.h"

// Products of blocks for which upstream programs the hardware in another way, as of late 2026: here
// they are those of matmul_block. A fidelity changes nothing.
namespace ckernel {

ALWI void mm_no_mop_init_short(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false,
                               uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
  matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
ALWI void mm_no_mop_reinit_short(uint32_t in0_cb_id, uint32_t in1_cb_id, bool transpose = false,
                                 uint32_t ct_dim = 1, uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
  matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
ALWI void matmul_block_no_mop(uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index,
                              uint32_t in1_tile_index, uint32_t idst, bool transpose,
                              uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim) {
  matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim,
               rt_dim, kt_dim);
}

template <MathFidelity math_fidelity>
ALWI void mm_no_mop_init_short_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id,
                                        bool transpose = false, uint32_t ct_dim = 1,
                                        uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
  matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
template <MathFidelity math_fidelity>
ALWI void mm_no_mop_reinit_short_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id,
                                          bool transpose = false, uint32_t ct_dim = 1,
                                          uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
  matmul_block_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim);
}
template <MathFidelity math_fidelity>
ALWI void matmul_block_no_mop_fidelity(uint32_t in0_cb_id, uint32_t in1_cb_id,
                                       uint32_t in0_tile_index, uint32_t in1_tile_index,
                                       uint32_t idst, bool transpose, uint32_t ct_dim,
                                       uint32_t rt_dim, uint32_t kt_dim) {
  matmul_block(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose, ct_dim,
               rt_dim, kt_dim);
}

}  // namespace ckernel
