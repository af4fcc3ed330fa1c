#include "device/cpu/tiles/packing.h"

#include <cstring>

#include "base/data_format.h"
#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/shapes.h"
#include "device/cpu/tiles/tile_shape.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;

void unpack_whole(DataFormat format, const char* source, float* target) {
  if (is_integer_format(format)) return unpack_integers(format, source, target);
  unpack_floats(format, source, target);
}

// False when an integer does not fit the format.
bool pack_whole(DataFormat format, const float* tile, bool integers, bool relu, char* target) {
  if (integers) return pack_integers(format, tile, target);
  pack_floats(format, tile, relu, target);
  return true;
}

// Tiles of other shapes, by way of one of 32x32 that begins with their elements. Out of line, so
// that whole tiles need no room for that on the stack.
__attribute__((noinline)) void unpack_small(const CircularBuffer& cb, const char* source,
                                            float* target) {
  alignas(64) char bytes[kTileElements * sizeof(float)];
  alignas(64) float elements[kTileElements];
  widen_bytes(format_of(cb), shape_of(cb), source, bytes);
  unpack_whole(format_of(cb), bytes, elements);
  spread_faces(shape_of(cb), elements, target);
}
__attribute__((noinline)) bool pack_small(const CircularBuffer& cb, const float* tile,
                                          bool integers, bool relu, char* target) {
  alignas(64) char bytes[kTileElements * sizeof(float)];
  alignas(64) float elements[kTileElements];
  gather_faces(shape_of(cb), tile, elements);
  if (!pack_whole(format_of(cb), elements, integers, relu, bytes)) return false;
  narrow_bytes(format_of(cb), shape_of(cb), bytes, target);
  return true;
}

void unpack(const CircularBuffer& cb, const char* source, float* target) {
  if (!is_whole(cb)) return unpack_small(cb, source, target);
  unpack_whole(format_of(cb), source, target);
}
bool pack(const CircularBuffer& cb, const float* tile, bool integers, bool relu, char* target) {
  if (!is_whole(cb)) return pack_small(cb, tile, integers, relu, target);
  return pack_whole(format_of(cb), tile, integers, relu, target);
}

void add_integers(const float* tile, const float* before, float* sums) {
  for (uint32_t i = 0; i < kTileElements; ++i) {
    uint32_t a;
    uint32_t b;
    std::memcpy(&a, tile + i, sizeof(a));
    std::memcpy(&b, before + i, sizeof(b));
    a += b;
    std::memcpy(sums + i, &a, sizeof(a));
  }
}

// Writes `tile` plus what lies at `target` to `sums`, and returns it.
const float* accumulated(Context* context, uint32_t index, const CircularBuffer& cb,
                         const float* tile, bool integers, const char* target, float* sums) {
  if (element_bytes(format_of(cb)) == 0) {
    fail_kernel(context,
                "circular buffer %u: packing cannot accumulate in L1 in block format %u; use "
                "Float16_b, Float16, Float32 or an integer format",
                index, cb.format);
  }
  alignas(64) float before[kTileElements];
  load_tile(cb, target, before);
  if (integers) {
    add_integers(tile, before, sums);
  } else {
    binary_floats(kernel_abi::BinaryOp::kAdd, tile, before, false, sums);
  }
  return sums;
}

void store_integers(Context* context, uint32_t index, const CircularBuffer& cb, const float* tile,
                    char* target) {
  if (!is_integer_format(format_of(cb))) {
    fail_kernel(context, "circular buffer %u: integers of DST cannot be packed to data format %u",
                index, cb.format);
  }
  if (context->pack_relu != 0) fail_kernel(context, "packing integers with ReLU is not supported");
  alignas(64) float sums[kTileElements];
  if (context->pack_accumulates != 0) {
    tile = accumulated(context, index, cb, tile, true, target, sums);
  }
  if (!pack(cb, tile, true, false, target)) {
    fail_kernel(context, "circular buffer %u: an integer of DST does not fit data format %u", index,
                cb.format);
  }
}

void store_floats(Context* context, uint32_t index, const CircularBuffer& cb, const float* tile,
                  char* target) {
  if (!is_float_format(format_of(cb))) {
    fail_kernel(context, "circular buffer %u: floats of DST cannot be packed to data format %u",
                index, cb.format);
  }
  alignas(64) float clamped[kTileElements];
  alignas(64) float sums[kTileElements];
  const bool plain_relu = context->pack_relu == 1 && context->pack_accumulates == 0;
  if (context->pack_relu != 0 && !plain_relu) {
    clamp_floats(context->pack_relu, tile, clamped);
    tile = clamped;
  }
  if (context->pack_accumulates != 0) {
    tile = accumulated(context, index, cb, tile, false, target, sums);
  }
  pack(cb, tile, false, plain_relu, target);
}

}  // namespace

bool load_tile(const CircularBuffer& cb, const char* source, float* target) {
  unpack(cb, source, target);
  return is_integer_format(format_of(cb));
}

void load_floats(Context* context, uint32_t index, const CircularBuffer& cb, const char* source,
                 float* target) {
  if (!is_float_format(format_of(cb))) {
    fail_kernel(context, "circular buffer %u: arithmetic on integer formats is not supported",
                index);
  }
  unpack(cb, source, target);
}

void store_tile(Context* context, uint32_t index, const CircularBuffer& cb, const float* tile,
                bool integers, char* target) {
  alignas(64) float kept[kTileElements];
  if (context->pack_mask != 0) {
    keep_reduced(static_cast<kernel_abi::ReduceDim>(context->pack_mask - 1), tile, kept);
    tile = kept;
  }
  if (integers) {
    store_integers(context, index, cb, tile, target);
  } else {
    store_floats(context, index, cb, tile, target);
  }
}

}  // namespace lightmetal::device::cpu
