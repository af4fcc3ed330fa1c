#include "device/cpu/tiles/packing.h"

#include <cstring>

#include "base/data_format.h"
#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"
#include "device/cpu/tiles/operands.h"
#include "device/cpu/tiles/shapes.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBuffer;
using kernel_abi::Context;

bool is_block_format(DataFormat format) {
  return tile_bytes(format) % kTileElements != 0;  // exponents come on top
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
  if (is_block_format(format_of(cb))) {
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
  if (!pack_integers(format_of(cb), tile, target)) {
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
  pack_floats(format_of(cb), tile, plain_relu, target);
}

}  // namespace

bool load_tile(const CircularBuffer& cb, const char* source, float* target) {
  const bool integers = is_integer_format(format_of(cb));
  if (integers) {
    unpack_integers(format_of(cb), source, target);
  } else {
    unpack_floats(format_of(cb), source, target);
  }
  return integers;
}

void load_floats(Context* context, uint32_t index, const CircularBuffer& cb, const char* source,
                 float* target) {
  if (!is_float_format(format_of(cb))) {
    fail_kernel(context, "circular buffer %u: arithmetic on integer formats is not supported",
                index);
  }
  unpack_floats(format_of(cb), source, target);
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
