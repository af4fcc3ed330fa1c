#include <cstdint>

#include "dataflow_api.h"
#include "read_tiles.h"

// For each of num_units pairs of a row of query tiles and a head, row by row from first_unit on:
// the queries, all keys a row of tiles at a time, and all values a column of tiles at a time.
void kernel_main() {
  const uint32_t qkv_address = get_arg_val<uint32_t>(0);
  const uint32_t first_unit = get_arg_val<uint32_t>(1);
  const uint32_t num_units = get_arg_val<uint32_t>(2);
  constexpr uint32_t token_tiles = get_compile_time_arg_val(0);
  constexpr uint32_t head_tiles = get_compile_time_arg_val(1);
  constexpr uint32_t heads = get_compile_time_arg_val(2);
  constexpr uint32_t width_tiles = heads * head_tiles;
  constexpr uint32_t qkv_tiles = 3 * width_tiles;
  constexpr uint32_t cb_queries = tt::CBIndex::c_0;
  constexpr uint32_t cb_keys = tt::CBIndex::c_1;
  constexpr uint32_t cb_values = tt::CBIndex::c_2;
  constexpr uint32_t cb_one = tt::CBIndex::c_3;
  constexpr uint32_t kOne = 0x3f800000;  // 1.0f

  push_scalar(cb_one, kOne);
  const Tiles qkv = tiles_for(cb_queries, qkv_address);
  for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
    const uint32_t query = unit / heads * qkv_tiles + unit % heads * head_tiles;
    const uint32_t key = unit % heads * head_tiles + width_tiles;
    const uint32_t value = key + width_tiles;
    read_row(cb_queries, qkv, query, head_tiles);
    for (uint32_t row = 0; row < token_tiles; ++row) {
      read_row(cb_keys, qkv, key + row * qkv_tiles, head_tiles);
    }
    for (uint32_t column = 0; column < head_tiles; ++column) {
      read_block(cb_values, qkv, value + column, token_tiles, 1, qkv_tiles);
    }
  }
}
