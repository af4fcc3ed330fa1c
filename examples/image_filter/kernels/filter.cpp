#include <cstdint>

#include "compute_kernel_api.h"
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/relu.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/reconfig_data_format.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"

// A block of results at a time: rows of the source become tiles, tiles times band matrices are the
// results, and these become rows.
namespace NAMESPACE {

constexpr uint32_t kernel_size = get_compile_time_arg_val(0);
constexpr uint32_t num_kernels = get_compile_time_arg_val(1);
constexpr uint32_t block_tiles = get_compile_time_arg_val(2);
constexpr uint32_t maximum = get_compile_time_arg_val(3);  // bits of a float
constexpr uint32_t source_tiles = block_tiles + 1;
constexpr uint32_t cb_source_rows = tt::CBIndex::c_0;
constexpr uint32_t cb_bands = tt::CBIndex::c_1;
constexpr uint32_t cb_source = tt::CBIndex::c_24;
constexpr uint32_t cb_result = tt::CBIndex::c_25;
constexpr uint32_t cb_result_rows = tt::CBIndex::c_16;

ALWI void tilize_source() {
  reconfig_data_format_srca(cb_source_rows);
  pack_reconfig_data_format(cb_source);
  tilize_init_short(cb_source_rows, source_tiles, cb_source);
  for (uint32_t row = 0; row < kernel_size; ++row) {
    cb_wait_front(cb_source_rows, source_tiles);
    cb_reserve_back(cb_source, source_tiles);
    tilize_block(cb_source_rows, source_tiles, cb_source);
    cb_push_back(cb_source, source_tiles);
    cb_pop_front(cb_source_rows, source_tiles);
  }
  tilize_uninit(cb_source_rows, cb_source);
}

// What `kernel` makes of the source at tile `column` is left in tile `kernel` of DST.
ALWI void apply_kernel(uint32_t kernel, uint32_t column) {
  for (uint32_t row = 0; row < kernel_size; ++row) {
    const uint32_t tile = row * source_tiles + column;
    const uint32_t band = 2 * (kernel * kernel_size + row);
    matmul_tiles(cb_source, cb_bands, tile, band, kernel, /*transpose=*/0);
    matmul_tiles(cb_source, cb_bands, tile + 1, band + 1, kernel, /*transpose=*/0);
  }
}

ALWI void add_magnitudes() {
  abs_tile_init();
  abs_tile(0);
  abs_tile(1);
  add_binary_tile_init();
  add_binary_tile(0, 1);
}

ALWI void compute_tile(uint32_t column) {
  mm_init_short(cb_source, cb_bands, /*transpose=*/0);
  tile_regs_acquire();
  for (uint32_t kernel = 0; kernel < num_kernels; ++kernel) apply_kernel(kernel, column);
  if constexpr (num_kernels == 2) add_magnitudes();
  relu_max_tile_init();
  relu_max_tile(0, maximum);  // 0 to maximum
  tile_regs_commit();
  tile_regs_wait();
  pack_tile(0, cb_result);
  tile_regs_release();
}

ALWI void filter_block() {
  cb_wait_front(cb_source, kernel_size * source_tiles);
  cb_reserve_back(cb_result, block_tiles);
  reconfig_data_format(cb_bands, cb_source);
  pack_reconfig_data_format(cb_result);
  for (uint32_t column = 0; column < block_tiles; ++column) compute_tile(column);
  cb_push_back(cb_result, block_tiles);
  cb_pop_front(cb_source, kernel_size * source_tiles);
}

ALWI void untilize_result() {
  cb_wait_front(cb_result, block_tiles);
  cb_reserve_back(cb_result_rows, block_tiles);
  reconfig_data_format_srca(cb_result);
  pack_reconfig_data_format(cb_result_rows);
  untilize_init_short(cb_result);
  untilize_block(cb_result, block_tiles, cb_result_rows);
  untilize_uninit(cb_result);
  cb_push_back(cb_result_rows, block_tiles);
  cb_pop_front(cb_result, block_tiles);
}

void MAIN {
  const uint32_t num_blocks = get_arg_val<uint32_t>(0);
  mm_init(cb_source, cb_bands, cb_result, /*transpose=*/0);
  cb_wait_front(cb_bands, 2 * num_kernels * kernel_size);
  for (uint32_t block = 0; block < num_blocks; ++block) {
    tilize_source();
    filter_block();
    untilize_result();
  }
}

}  // namespace NAMESPACE
