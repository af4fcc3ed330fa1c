#include "device/cpu/tiles/operands.h"

#include <algorithm>
#include <limits>

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/packing.h"

namespace lightmetal::device::cpu {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;

namespace {

// Never more than kMaxCircularBuffers: the device's profile is checked.
uint32_t num_circular_buffers(const Context& context) {
  return context.num_circular_buffers == 0 ? kernel_abi::kFirstCircularBuffers
                                           : context.num_circular_buffers;
}

// A kernel sets the shape, so it may be any number.
bool has_its_shape(const CircularBuffer& cb) {
  if (is_whole(cb)) return cb.tile_bytes == tile_bytes(format_of(cb));
  const RowShape shape = shape_of(cb);
  return is_tile_shape(shape) &&
         cb.tile_bytes == tile_bytes(format_of(cb), shape.rows * shape.columns);
}

}  // namespace

const CircularBuffer& circular_buffer(Context* context, uint32_t index) {
  if (index >= num_circular_buffers(*context)) {
    fail_kernel(context, "circular buffer %u: the index is not below %u", index,
                num_circular_buffers(*context));
  }
  const CircularBuffer& cb = kernel_abi::circular_buffer_at(*context, index);
  if (cb.num_pages == 0) fail_kernel(context, "circular buffer %u: this core has none", index);
  const DataFormat format = format_of(cb);
  if (!is_float_format(format) && !is_integer_format(format)) {
    fail_kernel(context, "circular buffer %u: compute kernels here do not support data format %u",
                index, cb.format);
  }
  if (!has_its_shape(cb)) [[unlikely]] {
    fail_kernel(context, "circular buffer %u: no tile of %ux%u has %u bytes", index,
                kernel_abi::tile_rows(cb), kernel_abi::tile_columns(cb), cb.tile_bytes);
  }
  return cb;
}

namespace {

// Fails the launch for a range that leaves L1, and tolerates one that only leaves its circular
// buffer. Out of line, to keep place_in() small.
__attribute__((noinline, cold)) void ends_beyond(Context* context, uint32_t index,
                                                 const CircularBuffer& cb, uint64_t address,
                                                 uint64_t bytes, const char* what,
                                                 uint32_t number) {
  if (address + bytes > context->l1_size) {
    fail_kernel(context, "circular buffer %u: %s %u lies past its end, and past the end of L1",
                index, what, number);
  }
  tolerate(
      context, kernel_abi::Misuse::kBeyondBuffer, index,
      "circular buffer %u: %s %u lies past its end: of its %u bytes at L1 0x%x the last %u are "
      "beyond the buffer",
      index, what, number, static_cast<uint32_t>(bytes), static_cast<uint32_t>(address),
      static_cast<uint32_t>(std::min(bytes, address + bytes - cb.limit)));
}

}  // namespace

char* place_in(Context* context, uint32_t index, const CircularBuffer& cb, uint64_t address,
               uint64_t bytes, const char* what, uint32_t number) {
  if (address + bytes > cb.limit) [[unlikely]]
    ends_beyond(context, index, cb, address, bytes, what, number);
  return reinterpret_cast<char*>(context->l1_base + address);
}

char* tile_at(Context* context, uint32_t index, const CircularBuffer& cb, uint32_t pointer,
              uint32_t tile) {
  const uint64_t address = pointer + uint64_t{tile} * cb.page_size;
  return place_in(context, index, cb, address, cb.tile_bytes, "tile", tile);
}

RowBlock row_block(Context* context, uint32_t index, const CircularBuffer& cb, uint32_t tiles,
                   kernel_abi::RowShape shape) {
  if (element_bytes(format_of(cb)) == 0) {
    fail_kernel(context, "circular buffer %u: data format %u is a block format and has no rows",
                index, cb.format);
  }
  if (shape.rows > 32 || shape.columns > 32) {
    fail_kernel(context, "circular buffer %u: a tile has no part of %u rows and %u columns", index,
                shape.rows, shape.columns);
  }
  const RowBlock rows{tiles, shape, element_bytes(format_of(cb))};
  if (rows.bytes() > std::numeric_limits<uint32_t>::max()) {
    fail_kernel(context, "circular buffer %u: no L1 holds rows of %u tiles", index, tiles);
  }
  return rows;
}

bool holds_whole_bfloat16(Context* context, uint32_t index) {
  const CircularBuffer& cb = circular_buffer(context, index);
  return format_of(cb) == DataFormat::Float16_b && is_whole(cb);
}

const void* tile_to_read(Context* context, uint32_t index, uint32_t tile) {
  const CircularBuffer& cb = circular_buffer(context, index);
  return tile_at(context, index, cb, cb.read_ptr, tile);
}

const float* operand(Context* context, uint32_t index, uint32_t tile, float* scratch) {
  const CircularBuffer& cb = circular_buffer(context, index);
  load_floats(context, index, cb, tile_at(context, index, cb, cb.read_ptr, tile), scratch);
  return scratch;
}

}  // namespace lightmetal::device::cpu
