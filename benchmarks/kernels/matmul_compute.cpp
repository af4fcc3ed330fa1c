#include <cstdint>

#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/tile_move_copy.h"

// One block of the product, which stays in DST while the inner dimension passes by. With
// MATMUL_BLOCK defined the steps are calls of matmul_block, otherwise of matmul_tiles.
namespace NAMESPACE {
void MAIN {
  constexpr uint32_t inner = get_compile_time_arg_val(0);  // tiles
  constexpr uint32_t rows = get_compile_time_arg_val(1);
  constexpr uint32_t columns = get_compile_time_arg_val(2);
  constexpr uint32_t step = get_compile_time_arg_val(3);
  constexpr uint32_t cb_a = tt::CBIndex::c_0;
  constexpr uint32_t cb_b = tt::CBIndex::c_1;
  constexpr uint32_t cb_out = tt::CBIndex::c_16;

#ifdef MATMUL_BLOCK
  mm_block_init(cb_a, cb_b, cb_out, 0, columns, rows, step);
#else
  mm_init(cb_a, cb_b, cb_out);
#endif
  tile_regs_acquire();
  for (uint32_t k = 0; k < inner; k += step) {
    cb_wait_front(cb_a, rows * step);
    cb_wait_front(cb_b, columns * step);
#ifdef MATMUL_BLOCK
    for (uint32_t i = 0; i < step; ++i)
      matmul_block(cb_a, cb_b, i, i * columns, 0, false, columns, rows, step);
#else
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t column = 0; column < columns; ++column) {
        for (uint32_t i = 0; i < step; ++i)
          matmul_tiles(cb_a, cb_b, row * step + i, i * columns + column, row * columns + column,
                       false);
      }
    }
#endif
    cb_pop_front(cb_a, rows * step);
    cb_pop_front(cb_b, columns * step);
  }
  tile_regs_commit();
  cb_reserve_back(cb_out, rows * columns);
  tile_regs_wait();
  for (uint32_t tile = 0; tile < rows * columns; ++tile) pack_tile(tile, cb_out);
  tile_regs_release();
  cb_push_back(cb_out, rows * columns);
}
}  // namespace NAMESPACE
