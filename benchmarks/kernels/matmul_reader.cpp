#include <cstdint>

#include "dataflow_api.h"

// Reads what one block of the product needs, step by step of the inner dimension: in each, `rows`
// x `step` tiles of A, then `step` x `columns` tiles of B.
void kernel_main() {
  constexpr uint32_t inner = get_compile_time_arg_val(0);  // tiles
  constexpr uint32_t b_columns = get_compile_time_arg_val(1);
  constexpr uint32_t rows = get_compile_time_arg_val(2);
  constexpr uint32_t columns = get_compile_time_arg_val(3);
  constexpr uint32_t step = get_compile_time_arg_val(4);
  constexpr uint32_t cb_a = 0;
  constexpr uint32_t cb_b = 1;
  constexpr uint32_t tile_bytes = get_tile_size(cb_a);
  const uint32_t first_row = get_arg_val<uint32_t>(2);
  const uint32_t first_column = get_arg_val<uint32_t>(3);

  const InterleavedAddrGenFast<true> a = {.bank_base_address = get_arg_val<uint32_t>(0),
                                          .page_size = tile_bytes,
                                          .data_format = get_dataformat(cb_a)};
  const InterleavedAddrGenFast<true> b = {.bank_base_address = get_arg_val<uint32_t>(1),
                                          .page_size = tile_bytes,
                                          .data_format = get_dataformat(cb_b)};
  for (uint32_t k = 0; k < inner; k += step) {
    cb_reserve_back(cb_a, rows * step);
    uint32_t target = get_write_ptr(cb_a);
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t i = 0; i < step; ++i, target += tile_bytes)
        noc_async_read_tile((first_row + row) * inner + k + i, a, target);
    }
    cb_reserve_back(cb_b, columns * step);
    target = get_write_ptr(cb_b);
    for (uint32_t i = 0; i < step; ++i) {
      for (uint32_t column = 0; column < columns; ++column, target += tile_bytes)
        noc_async_read_tile((k + i) * b_columns + first_column + column, b, target);
    }
    noc_async_read_barrier();
    cb_push_back(cb_a, rows * step);
    cb_push_back(cb_b, columns * step);
  }
}
