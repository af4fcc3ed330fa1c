#include <cstdint>

#include "dataflow_api.h"

// Writes tiles [first_tile, first_tile + num_tiles) of an interleaved DRAM buffer.
void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t first_tile = get_arg_val<uint32_t>(1);
  const uint32_t num_tiles = get_arg_val<uint32_t>(2);
  constexpr uint32_t cb = get_compile_time_arg_val(0);

  const InterleavedAddrGenFast<true> result = {.bank_base_address = address,
                                               .page_size = get_tile_size(cb),
                                               .data_format = get_dataformat(cb)};
  for (uint32_t tile = first_tile; tile < first_tile + num_tiles; ++tile) {
    cb_wait_front(cb, 1);
    noc_async_write_tile(tile, result, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
  }
}
