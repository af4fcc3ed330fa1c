#include "device/cpu/tile_math.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/cpu/tile_math_kernels.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::kDstTiles;
using kernel_abi::UnaryOp;

// Fails the launch. The message lies in static memory, for the kernel's stack is left as it is.
[[noreturn]] __attribute__((noinline, format(printf, 2, 3))) void fail(Context* context,
                                                                       const char* format, ...) {
  thread_local char message[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  context->services->fail(context, "", 0, message);
  std::abort();
}

// ---- DST. Context::dst_state: bit i says that tile i holds integers, bit 16 + i that it was
// written since it was acquired. A tile that was not is all zeros, whatever its memory holds: it is
// cleared when somebody looks, for most kernels use few of the tiles that they acquire. ----

constexpr uint32_t integer_bit(uint32_t dst) { return uint32_t{1} << dst; }
constexpr uint32_t written_bit(uint32_t dst) { return uint32_t{1} << (kDstTiles + dst); }

float* dst_memory(Context* context, uint32_t dst) {
  if (dst >= kDstTiles) fail(context, "DST has no tile %u: it holds %u tiles", dst, kDstTiles);
  return context->dst + size_t{dst} * kTileElements;
}

// For writing floats or integers over the whole tile.
float* dst_to_fill(Context* context, uint32_t dst, bool integers) {
  float* tile = dst_memory(context, dst);
  context->dst_state &= ~integer_bit(dst);
  context->dst_state |= written_bit(dst) | (integers ? integer_bit(dst) : 0);
  return tile;
}

// For reading what is there.
float* dst_tile(Context* context, uint32_t dst) {
  float* tile = dst_memory(context, dst);
  if ((context->dst_state & written_bit(dst)) == 0) {
    std::memset(tile, 0, kTileElements * sizeof(float));
    context->dst_state |= written_bit(dst);
  }
  return tile;
}

// For computing on the floats that are there.
float* dst_floats(Context* context, uint32_t dst) {
  float* tile = dst_tile(context, dst);
  if ((context->dst_state & integer_bit(dst)) != 0) {
    fail(context, "DST tile %u holds integers, which can be copied only", dst);
  }
  return tile;
}

// ---- Tiles in circular buffers ----

DataFormat format_of(const CircularBuffer& cb) { return static_cast<DataFormat>(cb.format); }

const CircularBuffer& circular_buffer(Context* context, uint32_t index) {
  if (index >= kernel_abi::kMaxCircularBuffers)
    fail(context, "circular buffer %u: the index is not below 32", index);
  const CircularBuffer& cb = context->cb[index];
  if (cb.num_pages == 0) fail(context, "circular buffer %u: this core has none", index);
  const DataFormat format = format_of(cb);
  if (!is_float_format(format) && !is_integer_format(format)) {
    fail(context, "circular buffer %u: compute kernels here do not support data format %u", index,
         cb.format);
  }
  if (cb.tile_bytes != tile_bytes(format)) {
    fail(context, "circular buffer %u: compute kernels here support tiles of 32x32 only", index);
  }
  return cb;
}

// Tile `tile` from the page at `pointer` on; tiles are a page apart.
char* tile_at(Context* context, uint32_t index, const CircularBuffer& cb, uint32_t pointer,
              uint32_t tile) {
  const uint64_t address = pointer + uint64_t{tile} * cb.page_size;
  if (address + cb.tile_bytes > cb.limit)
    fail(context, "circular buffer %u: tile %u lies past its end", index, tile);
  return reinterpret_cast<char*>(context->l1_base + address);
}

// A tile that is computed with. `scratch` has room for one.
const float* operand(Context* context, uint32_t index, uint32_t tile, float* scratch) {
  const CircularBuffer& cb = circular_buffer(context, index);
  if (!is_float_format(format_of(cb))) {
    fail(context, "circular buffer %u: arithmetic on integer formats is not supported", index);
  }
  unpack_floats(format_of(cb), tile_at(context, index, cb, cb.read_ptr, tile), scratch);
  return scratch;
}

// ---- Services ----

void acquire_dst(Context* context) { context->dst_state = 0; }

void copy_tile(Context* context, uint32_t index, uint32_t tile, uint32_t dst) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const char* source = tile_at(context, index, cb, cb.read_ptr, tile);
  if (is_integer_format(format_of(cb))) {
    unpack_integers(format_of(cb), source, dst_to_fill(context, dst, true));
  } else {
    unpack_floats(format_of(cb), source, dst_to_fill(context, dst, false));
  }
}

void pack_integer_tile(Context* context, uint32_t index, const CircularBuffer& cb, uint32_t dst,
                       char* target) {
  if (!is_integer_format(format_of(cb))) {
    fail(context, "circular buffer %u: integers of DST tile %u cannot be packed to data format %u",
         index, dst, cb.format);
  }
  if (context->pack_relu != 0) fail(context, "packing integers with ReLU is not supported");
  if (!pack_integers(format_of(cb), dst_tile(context, dst), target)) {
    fail(context, "circular buffer %u: an integer of DST tile %u does not fit data format %u",
         index, dst, cb.format);
  }
}

void pack_tile(Context* context, uint32_t dst, uint32_t index, uint32_t tile) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const bool zero = (context->dst_state & written_bit(dst)) == 0;
  const float* source = dst_tile(context, dst);
  char* target = tile_at(context, index, cb, cb.write_ptr, tile);
  if ((context->dst_state & integer_bit(dst)) != 0 || (zero && is_integer_format(format_of(cb)))) {
    pack_integer_tile(context, index, cb, dst, target);
  } else if (is_float_format(format_of(cb))) {
    pack_floats(format_of(cb), source, context->pack_relu != 0, target);
  } else {
    fail(context, "circular buffer %u: floats of DST tile %u cannot be packed to data format %u",
         index, dst, cb.format);
  }
}

void binary_tiles(Context* context, BinaryOp op, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a,
                  uint32_t tile_b, uint32_t dst, uint32_t accumulate) {
  alignas(64) float a[kTileElements];
  alignas(64) float b[kTileElements];
  operand(context, cb_a, tile_a, a);
  operand(context, cb_b, tile_b, b);
  float* target = accumulate != 0 ? dst_floats(context, dst) : dst_to_fill(context, dst, false);
  binary_floats(op, a, b, accumulate != 0, target);
}

void binary_dest_reuse(Context* context, BinaryOp op, DestReuse reuse, uint32_t cb, uint32_t tile,
                       uint32_t dst) {
  alignas(64) float other[kTileElements];
  operand(context, cb, tile, other);
  float* target = dst_floats(context, dst);
  if (reuse == DestReuse::kDestToSrcA) {
    binary_floats(op, target, other, false, target);
  } else {
    binary_floats(op, other, target, false, target);
  }
}

void matmul_tiles(Context* context, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                  uint32_t dst, uint32_t transpose_b) {
  alignas(64) float a[kTileElements];
  alignas(64) float b[kTileElements];
  operand(context, cb_a, tile_a, a);
  operand(context, cb_b, tile_b, b);
  matmul_floats(a, b, transpose_b != 0, dst_floats(context, dst));
}

void unary_tile(Context* context, UnaryOp op, uint32_t dst, uint32_t, uint32_t) {
  if (!unary_floats(op, dst_floats(context, dst))) {
    fail(context, "unary operation %u is not known to this device", static_cast<uint32_t>(op));
  }
}

void pack_relu(Context* context, uint32_t enable) { context->pack_relu = enable; }

}  // namespace

void fill_tile_services(kernel_abi::Services& services) {
  services.dst_acquire = acquire_dst;
  services.copy_tile = copy_tile;
  services.pack_tile = pack_tile;
  services.binary_tiles = binary_tiles;
  services.binary_dest_reuse = binary_dest_reuse;
  services.matmul_tiles = matmul_tiles;
  services.unary_tile = unary_tile;
  services.pack_relu = pack_relu;
}

}  // namespace lightmetal::device::cpu
