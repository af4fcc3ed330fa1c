#include <cstring>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/packing.h"
#include "device/cpu/tiles/service_parts.h"
#include "device/cpu/tiles/shapes.h"

// Between tiles and rows. Rows lie without gaps at the read or write pointer, whatever the size of
// the circular buffer's pages.
namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::RowShape;

// Tiles and rows go together when the rows are as wide as the tiles and at least as many: rows are
// often said to have tiles of 32x32 though nobody means more than the tiles have.
RowShape require_room(Context* context, uint32_t tile_index, const CircularBuffer& tiles,
                      uint32_t row_index, const CircularBuffer& rows) {
  const RowShape shape = shape_of(tiles);
  const RowShape room = shape_of(rows);
  if (shape.columns == room.columns && shape.rows <= room.rows) return shape;
  fail_kernel(context, "circular buffers %u and %u: tiles of %ux%u have no place in rows of %ux%u",
              tile_index, row_index, shape.rows, shape.columns, room.rows, room.columns);
}

char* place_rows(Context* context, uint32_t index, const CircularBuffer& cb, uint64_t address,
                 const RowBlock& rows, uint32_t block) {
  return place_in(context, index, cb, address, rows.bytes(), "block of rows", block);
}

bool same_bytes(const Context* context, const CircularBuffer& in, const CircularBuffer& out) {
  return in.format == out.format && is_whole(in) && is_whole(out) && context->pack_relu == 0 &&
         context->pack_accumulates == 0 && context->pack_mask == 0 &&
         format_of(in) != DataFormat::Tf32;
}

// Turns the bytes of a tile in the format of `in` into those in the format of `out`.
void convert(Context* context, const CircularBuffer& in, const char* source, uint32_t index,
             const CircularBuffer& out, char* target) {
  if (same_bytes(context, in, out)) {
    std::memcpy(target, source, in.tile_bytes);
    return;
  }
  alignas(64) float values[kTileElements];
  const bool integers = load_tile(in, source, values);
  store_tile(context, index, out, values, integers, target);
}

void tilize(Context* context, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
            uint32_t tile_out) {
  const CircularBuffer& in = circular_buffer(context, cb_in);
  const CircularBuffer& out = circular_buffer(context, cb_out);
  const RowShape shape = require_room(context, cb_out, out, cb_in, in);
  const RowBlock rows = row_block(context, cb_in, in, tiles, shape);
  const char* begin =
      place_rows(context, cb_in, in, in.read_ptr + uint64_t{tile_in} * in.page_size, rows, tile_in);
  const CircularBuffer gathered = with_whole_tiles(in);
  alignas(64) char tile[kTileElements * sizeof(float)];
  if (!is_whole(out)) std::memset(tile, 0, sizeof(tile));
  for (uint32_t i = 0; i < tiles; ++i) {
    gather_tile(begin + rows.part(i), rows.row_elements(), rows.element_bytes, shape, tile);
    convert(context, gathered, tile, cb_out, out,
            tile_at(context, cb_out, out, out.write_ptr, tile_out + i));
  }
}

// Packs one tile of 32-bit values as part of rows; `begin` is where its first row begins.
void store_rows(Context* context, uint32_t index, const CircularBuffer& out, const float* values,
                bool integers, const RowBlock& rows, char* begin) {
  const uint32_t size = rows.element_bytes;
  alignas(64) char tile[kTileElements * sizeof(float)] = {};
  if (context->pack_accumulates != 0)
    gather_tile(begin, rows.row_elements(), size, rows.shape, tile);
  store_tile(context, index, with_whole_tiles(out), values, integers, tile);
  scatter_tile(tile, rows.row_elements(), size, rows.shape, begin);
}

void untilize(Context* context, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
              uint32_t tile_out) {
  const CircularBuffer& in = circular_buffer(context, cb_in);
  const CircularBuffer& out = circular_buffer(context, cb_out);
  const RowShape shape = require_room(context, cb_in, in, cb_out, out);
  const RowBlock rows = row_block(context, cb_out, out, tiles, shape);
  char* block = place_rows(context, cb_out, out, out.write_ptr + uint64_t{tile_out} * out.page_size,
                           rows, tile_out);
  for (uint32_t i = 0; i < tiles; ++i) {
    const char* source = tile_at(context, cb_in, in, in.read_ptr, tile_in + i);
    char* begin = block + rows.part(i);
    if (same_bytes(context, in, out)) {
      scatter_tile(source, rows.row_elements(), rows.element_bytes, shape, begin);
      continue;
    }
    alignas(64) float values[kTileElements];
    const bool integers = load_tile(in, source, values);
    store_rows(context, cb_out, out, values, integers, rows, begin);
  }
}

void pack_untilize(Context* context, uint32_t dst, uint32_t tiles, uint32_t row_tiles,
                   uint32_t first, uint32_t block, uint32_t index, RowShape shape) {
  const CircularBuffer& out = circular_buffer(context, index);
  if (first > row_tiles || tiles > row_tiles - first)
    fail_kernel(context, "pack_untilize: %u tiles from %u on do not fit rows of %u tiles", tiles,
                first, row_tiles);
  const RowBlock rows = row_block(context, index, out, row_tiles, shape);
  char* begin = place_rows(context, index, out, out.write_ptr + block * rows.bytes(), rows, block);
  for (uint32_t i = 0; i < tiles; ++i) {
    const TileToPack tile = tile_to_pack(context, dst + i, format_of(out));
    store_rows(context, index, out, tile.values, tile.integers, rows, begin + rows.part(first + i));
  }
}

}  // namespace

void fill_layout_services(kernel_abi::TileServices& services) {
  services.tilize = tilize;
  services.untilize = untilize;
  services.pack_untilize = pack_untilize;
}

}  // namespace lightmetal::device::cpu
