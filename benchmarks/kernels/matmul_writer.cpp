#include <cstdint>

#include "dataflow_api.h"

// Writes one block of the product.
void kernel_main() {
  constexpr uint32_t c_columns = get_compile_time_arg_val(0);  // tiles
  constexpr uint32_t rows = get_compile_time_arg_val(1);
  constexpr uint32_t columns = get_compile_time_arg_val(2);
  constexpr uint32_t cb = 16;
  constexpr uint32_t tile_bytes = get_tile_size(cb);
  const uint32_t first_row = get_arg_val<uint32_t>(1);
  const uint32_t first_column = get_arg_val<uint32_t>(2);

  const InterleavedAddrGenFast<true> c = {.bank_base_address = get_arg_val<uint32_t>(0),
                                          .page_size = tile_bytes,
                                          .data_format = get_dataformat(cb)};
  cb_wait_front(cb, rows * columns);
  uint32_t source = get_read_ptr(cb);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column, source += tile_bytes)
      noc_async_write_tile((first_row + row) * c_columns + first_column + column, c, source);
  }
  noc_async_write_barrier();
  cb_pop_front(cb, rows * columns);
}
