#include <cstdint>

#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/gelu.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/reconfig_data_format.h"

// C = gelu(A x B + bias) + residual, a block of a row of tiles at a time; APPLY_GELU and
// ADD_RESIDUAL say what of it is done.
namespace NAMESPACE {

constexpr uint32_t Kt = get_compile_time_arg_val(0);
constexpr uint32_t block_columns = get_compile_time_arg_val(2);
constexpr uint32_t block_inner = get_compile_time_arg_val(3);
constexpr uint32_t cb_a = tt::CBIndex::c_0;
constexpr uint32_t cb_b = tt::CBIndex::c_1;
constexpr uint32_t cb_bias = tt::CBIndex::c_2;
constexpr uint32_t cb_residual = tt::CBIndex::c_3;
constexpr uint32_t cb_product = tt::CBIndex::c_24;
constexpr uint32_t cb_c = tt::CBIndex::c_16;

ALWI void pack_block(uint32_t cb) {
  tile_regs_commit();
  cb_reserve_back(cb, block_columns);
  tile_regs_wait();
  for (uint32_t i = 0; i < block_columns; ++i) pack_tile(i, cb);
  tile_regs_release();
  cb_push_back(cb, block_columns);
}

ALWI void multiply() {
  mm_block_init_short(cb_a, cb_b, /*transpose=*/0, block_columns, /*rt_dim=*/1, block_inner);
  pack_reconfig_data_format(cb_product);
  tile_regs_acquire();
  for (uint32_t k = 0; k < Kt; k += block_inner) {
    cb_wait_front(cb_a, block_inner);
    cb_wait_front(cb_b, block_inner * block_columns);
    for (uint32_t i = 0; i < block_inner; ++i) {
      matmul_block(cb_a, cb_b, i, i * block_columns, 0, /*transpose=*/0, block_columns,
                   /*rt_dim=*/1, block_inner);
    }
    cb_pop_front(cb_a, block_inner);
    cb_pop_front(cb_b, block_inner * block_columns);
  }
  pack_block(cb_product);
}

ALWI void add_bias() {
  reconfig_data_format(cb_product, cb_bias);
  add_bcast_rows_init_short(cb_product, cb_bias);
  cb_wait_front(cb_product, block_columns);
  cb_wait_front(cb_bias, block_columns);
  for (uint32_t i = 0; i < block_columns; ++i) {
    add_tiles_bcast_rows(cb_product, cb_bias, i, i, i);
  }
  cb_pop_front(cb_product, block_columns);
  cb_pop_front(cb_bias, block_columns);
}

ALWI void apply_gelu() {
  gelu_tile_init</*fast_and_approx=*/false>();
  for (uint32_t i = 0; i < block_columns; ++i) gelu_tile</*fast_and_approx=*/false>(i);
}

ALWI void add_residual() {
  binary_dest_reuse_tiles_init<ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_residual);
  cb_wait_front(cb_residual, block_columns);
  for (uint32_t i = 0; i < block_columns; ++i) {
    binary_dest_reuse_tiles<ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(cb_residual, i, i);
  }
  cb_pop_front(cb_residual, block_columns);
}

ALWI void finish_block() {
  pack_reconfig_data_format(cb_c);
  tile_regs_acquire();
  add_bias();
#ifdef APPLY_GELU
  apply_gelu();
#endif
#ifdef ADD_RESIDUAL
  add_residual();
#endif
  pack_block(cb_c);
}

void MAIN {
  const uint32_t num_blocks = get_arg_val<uint32_t>(0);
  mm_block_init(cb_a, cb_b, cb_product, /*transpose=*/0, block_columns, /*rt_dim=*/1, block_inner);
  for (uint32_t block = 0; block < num_blocks; ++block) {
    reconfig_data_format(cb_b, cb_a);
    multiply();
    finish_block();
  }
}

}  // namespace NAMESPACE
