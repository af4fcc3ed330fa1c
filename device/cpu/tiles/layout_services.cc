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

constexpr RowShape kWholeTile{.rows = 32, .columns = 32};

// The size of an element in bytes. Fails the launch for a block format, which has no rows: its
// exponents belong to rows of faces.
uint32_t element_bytes(Context* context, uint32_t index, const CircularBuffer& cb) {
  if (cb.tile_bytes % kTileElements != 0) {
    fail_kernel(context, "circular buffer %u: data format %u is a block format and has no rows",
                index, cb.format);
  }
  return cb.tile_bytes / kTileElements;
}

char* rows_of(Context* context, uint32_t index, const CircularBuffer& cb, uint64_t address,
              uint64_t bytes, uint32_t block) {
  return place_in(context, index, cb, address, bytes, "block of rows", block);
}

bool same_bytes(const Context* context, const CircularBuffer& in, const CircularBuffer& out) {
  return in.format == out.format && context->pack_relu == 0 && context->pack_accumulates == 0 &&
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
  const uint32_t size = element_bytes(context, cb_in, in);
  const uint32_t row = tiles * kWholeTile.columns;
  const char* rows = rows_of(context, cb_in, in, in.read_ptr + uint64_t{tile_in} * in.page_size,
                             uint64_t{row} * kWholeTile.rows * size, tile_in);
  alignas(64) char tile[kTileElements * sizeof(float)];
  for (uint32_t i = 0; i < tiles; ++i) {
    gather_tile(rows + size_t{i} * kWholeTile.columns * size, row, size, kWholeTile, tile);
    convert(context, in, tile, cb_out, out,
            tile_at(context, cb_out, out, out.write_ptr, tile_out + i));
  }
}

// Packs one tile of 32-bit values as part of rows; `begin` is where its first row begins.
void store_rows(Context* context, uint32_t index, const CircularBuffer& out, const float* values,
                bool integers, uint32_t row_elements, RowShape shape, char* begin) {
  const uint32_t size = element_bytes(context, index, out);
  alignas(64) char tile[kTileElements * sizeof(float)] = {};
  if (context->pack_accumulates != 0) gather_tile(begin, row_elements, size, shape, tile);
  store_tile(context, index, out, values, integers, tile);
  scatter_tile(tile, row_elements, size, shape, begin);
}

void untilize(Context* context, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
              uint32_t tile_out) {
  const CircularBuffer& in = circular_buffer(context, cb_in);
  const CircularBuffer& out = circular_buffer(context, cb_out);
  const uint32_t size = element_bytes(context, cb_out, out);
  const uint32_t row = tiles * kWholeTile.columns;
  char* rows = rows_of(context, cb_out, out, out.write_ptr + uint64_t{tile_out} * out.page_size,
                       uint64_t{row} * kWholeTile.rows * size, tile_out);
  for (uint32_t i = 0; i < tiles; ++i) {
    const char* source = tile_at(context, cb_in, in, in.read_ptr, tile_in + i);
    char* begin = rows + size_t{i} * kWholeTile.columns * size;
    if (same_bytes(context, in, out)) {
      scatter_tile(source, row, size, kWholeTile, begin);
      continue;
    }
    alignas(64) float values[kTileElements];
    const bool integers = load_tile(in, source, values);
    store_rows(context, cb_out, out, values, integers, row, kWholeTile, begin);
  }
}

void pack_untilize(Context* context, uint32_t dst, uint32_t tiles, uint32_t row_tiles,
                   uint32_t first, uint32_t block, uint32_t index, RowShape shape) {
  const CircularBuffer& out = circular_buffer(context, index);
  if (shape.rows > 32 || shape.columns > 32 || first + tiles > row_tiles)
    fail_kernel(context, "pack_untilize: %u tiles from %u on do not fit rows of %u tiles", tiles,
                first, row_tiles);
  const uint32_t size = element_bytes(context, index, out);
  const uint32_t row = row_tiles * shape.columns;
  const uint64_t bytes = uint64_t{row} * shape.rows * size;
  char* rows = rows_of(context, index, out, out.write_ptr + block * bytes, bytes, block);
  for (uint32_t i = 0; i < tiles; ++i) {
    const bool zero = !dst_is_written(context, dst + i);
    const float* values = dst_tile(context, dst + i);
    const bool integers =
        dst_holds_integers(context, dst + i) || (zero && is_integer_format(format_of(out)));
    store_rows(context, index, out, values, integers, row, shape,
               rows + size_t{first + i} * shape.columns * size);
  }
}

}  // namespace

void fill_layout_services(kernel_abi::TileServices& services) {
  services.tilize = tilize;
  services.untilize = untilize;
  services.pack_untilize = pack_untilize;
}

}  // namespace lightmetal::device::cpu
