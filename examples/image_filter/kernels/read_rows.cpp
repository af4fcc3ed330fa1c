#include <cstdint>

#include "dataflow_api.h"

// The band matrices once, then for each of num_blocks blocks of results, from first_block on, and
// each row of the kernel, the 32 rows of the source that it meets.

constexpr uint32_t kernel_size = get_compile_time_arg_val(0);
constexpr uint32_t num_kernels = get_compile_time_arg_val(1);
constexpr uint32_t block_tiles = get_compile_time_arg_val(2);
constexpr uint32_t cb_rows = tt::CBIndex::c_0;
constexpr uint32_t cb_bands = tt::CBIndex::c_1;
constexpr uint32_t tile_side = 32;
constexpr uint32_t tile_row_bytes = tile_side * sizeof(uint16_t);
constexpr uint32_t row_bytes = (block_tiles + 1) * tile_row_bytes;

void read_bands(uint32_t address) {
  const InterleavedAddrGenFast<true> bands = {.bank_base_address = address,
                                              .page_size = get_tile_size(cb_bands),
                                              .data_format = get_dataformat(cb_bands)};
  constexpr uint32_t num_tiles = num_kernels * kernel_size * 2;
  cb_reserve_back(cb_bands, num_tiles);
  for (uint32_t tile = 0; tile < num_tiles; ++tile) {
    noc_async_read_tile(tile, bands, get_write_ptr(cb_bands) + tile * get_tile_size(cb_bands));
  }
  noc_async_read_barrier();
  cb_push_back(cb_bands, num_tiles);
}

// 32 rows from `top` on; those above and below the channel are its first and its last.
template <typename Generator>
void read_rows(const Generator& source, uint32_t channel_row, int32_t top, int32_t height,
               uint32_t offset) {
  cb_reserve_back(cb_rows, block_tiles + 1);
  uint32_t l1_address = get_write_ptr(cb_rows);
  for (int32_t row = top; row < top + static_cast<int32_t>(tile_side); ++row) {
    const int32_t nearest = row < 0 ? 0 : row < height ? row : height - 1;
    noc_async_read(get_noc_addr(channel_row + nearest, source, offset), l1_address, row_bytes);
    l1_address += row_bytes;
  }
  noc_async_read_barrier();
  cb_push_back(cb_rows, block_tiles + 1);
}

void kernel_main() {
  const uint32_t source_address = get_arg_val<uint32_t>(0);
  const uint32_t bands_address = get_arg_val<uint32_t>(1);
  const uint32_t height = get_arg_val<uint32_t>(2);
  const uint32_t blocks_across = get_arg_val<uint32_t>(3);
  const uint32_t blocks_down = get_arg_val<uint32_t>(4);
  const uint32_t first_block = get_arg_val<uint32_t>(5);
  const uint32_t num_blocks = get_arg_val<uint32_t>(6);

  read_bands(bands_address);
  const uint32_t page_size = (blocks_across * block_tiles + 1) * tile_row_bytes;
  const InterleavedAddrGen<true> source = {.bank_base_address = source_address,
                                           .page_size = page_size};
  for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
    const uint32_t channel_row = block / (blocks_across * blocks_down) * height;
    const uint32_t down = block / blocks_across % blocks_down;
    const uint32_t offset = block % blocks_across * block_tiles * tile_row_bytes;
    for (uint32_t row = 0; row < kernel_size; ++row) {
      const int32_t top =
          static_cast<int32_t>(down * tile_side + row) - static_cast<int32_t>(kernel_size / 2);
      read_rows(source, channel_row, top, static_cast<int32_t>(height), offset);
    }
  }
}
