#include "dataflow_api.h"

// Reads num_tiles tiles that lie one after the other in a DRAM bank into circular buffer 0.
void kernel_main() {
  uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t bank = get_arg_val<uint32_t>(1);
  const uint32_t num_tiles = get_arg_val<uint32_t>(2);
  constexpr uint32_t cb = 0;
  const uint32_t tile_bytes = get_tile_size(cb);

  for (uint32_t tile = 0; tile < num_tiles; ++tile, address += tile_bytes) {
    cb_reserve_back(cb, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(bank, address), get_write_ptr(cb), tile_bytes);
    noc_async_read_barrier();
    cb_push_back(cb, 1);
  }
}
