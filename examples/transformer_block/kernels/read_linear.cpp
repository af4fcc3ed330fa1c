#include <cstdint>

#include "dataflow_api.h"
#include "read_tiles.h"

// For each of num_blocks blocks of C's tiles, row by row from first_block on: the row of A and the
// columns of B in steps of the inner dimension, then the bias and the residual.
void kernel_main() {
  const uint32_t a_address = get_arg_val<uint32_t>(0);
  const uint32_t b_address = get_arg_val<uint32_t>(1);
  const uint32_t bias_address = get_arg_val<uint32_t>(2);
  const uint32_t residual_address = get_arg_val<uint32_t>(3);
  const uint32_t first_block = get_arg_val<uint32_t>(4);
  const uint32_t num_blocks = get_arg_val<uint32_t>(5);
  constexpr uint32_t Kt = get_compile_time_arg_val(0);
  constexpr uint32_t Nt = get_compile_time_arg_val(1);
  constexpr uint32_t block_columns = get_compile_time_arg_val(2);
  constexpr uint32_t block_inner = get_compile_time_arg_val(3);
  constexpr uint32_t cb_a = tt::CBIndex::c_0;
  constexpr uint32_t cb_b = tt::CBIndex::c_1;
  constexpr uint32_t cb_bias = tt::CBIndex::c_2;
  constexpr uint32_t cb_residual = tt::CBIndex::c_3;

  const Tiles a = tiles_for(cb_a, a_address);
  const Tiles b = tiles_for(cb_b, b_address);
  const Tiles bias = tiles_for(cb_bias, bias_address);
  const Tiles residual = tiles_for(cb_residual, residual_address);
  for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
    const uint32_t row = block / (Nt / block_columns);
    const uint32_t column = block % (Nt / block_columns) * block_columns;
    for (uint32_t k = 0; k < Kt; k += block_inner) {
      read_row(cb_a, a, row * Kt + k, block_inner);
      read_block(cb_b, b, k * Nt + column, block_inner, block_columns, Nt);
    }
    read_row(cb_bias, bias, column, block_columns);
#ifdef ADD_RESIDUAL
    read_row(cb_residual, residual, row * Nt + column, block_columns);
#endif
  }
}
