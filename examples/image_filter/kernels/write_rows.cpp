#include <cstdint>

#include "dataflow_api.h"

// Writes num_blocks blocks of results, from first_block on, as rows; rows below the channel are
// left out.
void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0);
  const uint32_t height = get_arg_val<uint32_t>(1);
  const uint32_t blocks_across = get_arg_val<uint32_t>(2);
  const uint32_t blocks_down = get_arg_val<uint32_t>(3);
  const uint32_t first_block = get_arg_val<uint32_t>(4);
  const uint32_t num_blocks = get_arg_val<uint32_t>(5);
  constexpr uint32_t block_tiles = get_compile_time_arg_val(0);
  constexpr uint32_t cb_rows = tt::CBIndex::c_16;
  constexpr uint32_t tile_side = 32;
  constexpr uint32_t row_bytes = block_tiles * tile_side * sizeof(float);

  const InterleavedAddrGen<true> result = {.bank_base_address = address,
                                           .page_size = blocks_across * row_bytes};
  for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
    const uint32_t channel_row = block / (blocks_across * blocks_down) * height;
    const uint32_t top = block / blocks_across % blocks_down * tile_side;
    const uint32_t offset = block % blocks_across * row_bytes;
    cb_wait_front(cb_rows, block_tiles);
    uint32_t l1_address = get_read_ptr(cb_rows);
    for (uint32_t row = top; row < height && row < top + tile_side; ++row) {
      noc_async_write(l1_address, get_noc_addr(channel_row + row, result, offset), row_bytes);
      l1_address += row_bytes;
    }
    noc_async_write_barrier();
    cb_pop_front(cb_rows, block_tiles);
  }
}
