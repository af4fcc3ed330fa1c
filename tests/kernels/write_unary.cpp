#include "dataflow_api.h"

// Writes num_tiles tiles from circular buffer 16 to a DRAM bank, one after the other.
void kernel_main() {
  uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t bank = get_arg_val<uint32_t>(1);
  const uint32_t num_tiles = get_arg_val<uint32_t>(2);
  constexpr uint32_t cb = tt::CBIndex::c_16;
  const uint32_t tile_bytes = get_tile_size(cb);

  for (uint32_t tile = 0; tile < num_tiles; ++tile, address += tile_bytes) {
    cb_wait_front(cb, 1);
    noc_async_write(get_read_ptr(cb), get_noc_addr_from_bank_id<true>(bank, address), tile_bytes);
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
  }
}
