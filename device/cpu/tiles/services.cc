#include "device/cpu/tiles/services.h"

#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::BinaryOp;
using kernel_abi::CircularBuffer;
using kernel_abi::Context;
using kernel_abi::DestReuse;
using kernel_abi::kDstTiles;
using kernel_abi::UnaryOp;

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
    fail_kernel(context,
                "circular buffer %u: integers of DST tile %u cannot be packed to data format %u",
                index, dst, cb.format);
  }
  if (context->pack_relu != 0) fail_kernel(context, "packing integers with ReLU is not supported");
  if (!pack_integers(format_of(cb), dst_tile(context, dst), target)) {
    fail_kernel(context,
                "circular buffer %u: an integer of DST tile %u does not fit data format %u", index,
                dst, cb.format);
  }
}

void pack_tile(Context* context, uint32_t dst, uint32_t index, uint32_t tile) {
  const CircularBuffer& cb = circular_buffer(context, index);
  const bool zero = !dst_is_written(context, dst);
  const float* source = dst_tile(context, dst);
  char* target = tile_at(context, index, cb, cb.write_ptr, tile);
  if (dst_holds_integers(context, dst) || (zero && is_integer_format(format_of(cb)))) {
    pack_integer_tile(context, index, cb, dst, target);
  } else if (is_float_format(format_of(cb))) {
    pack_floats(format_of(cb), source, context->pack_relu != 0, target);
  } else {
    fail_kernel(context,
                "circular buffer %u: floats of DST tile %u cannot be packed to data format %u",
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
    fail_kernel(context, "unary operation %u is not known to this device",
                static_cast<uint32_t>(op));
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
