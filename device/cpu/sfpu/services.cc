#include "device/cpu/sfpu/services.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device/cpu/sfpu/arithmetic.h"
#include "device/cpu/sfpu/random.h"
#include "device/cpu/sfpu/typecast.h"
#include "device/cpu/tiles/arithmetic.h"
#include "device/cpu/tiles/dst.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::DstUse;
using kernel_abi::IntegerBinaryOp;
using kernel_abi::IntegerUnaryOp;
using kernel_abi::kAllVectors;
using kernel_abi::SfpuBinaryOp;
using kernel_abi::SfpuTernaryOp;
using kernel_abi::UnaryOp;

template <typename Op>
[[noreturn]] void fail_unknown(Context* context, const char* kind, Op op) {
  fail_kernel(context, "%s operation %u is not known to this device", kind,
              static_cast<uint32_t>(op));
}

uint32_t* words(float* tile) { return reinterpret_cast<uint32_t*>(tile); }

// ---- Access ----

void* dst_values(Context* context, uint32_t dst, DstUse use) {
  float* tile = dst_tile(context, dst);
  if (use != DstUse::kRead) dst_to_fill(context, dst, use == DstUse::kWriteIntegers);
  return tile;
}

// The tile of a result. When only a part of it is computed, the other part keeps its values, which
// are zeros in a tile that was not written.
float* result_tile(Context* context, uint32_t dst, uint32_t vectors) {
  if (vectors == kAllVectors) return dst_to_fill(context, dst, false);
  return dst_floats(context, dst);
}

// ---- Floats ----

void unary(Context* context, UnaryOp op, uint32_t dst, uint32_t vectors, uint32_t a, uint32_t b,
           uint32_t c) {
  if (!unary_floats(op, {a, b, c}, vectors, dst_floats(context, dst))) {
    fail_unknown(context, "unary", op);
  }
}

// The service of version 1 of the kernel ABI, which computes whole tiles with two scalars.
void unary_tile(Context* context, UnaryOp op, uint32_t dst, uint32_t a, uint32_t b) {
  unary(context, op, dst, kAllVectors, a, b, 0);
}

void binary(Context* context, SfpuBinaryOp op, uint32_t left, uint32_t right, uint32_t result,
            uint32_t vectors) {
  const float* a = dst_floats(context, left);
  const float* b = dst_floats(context, right);
  if (!sfpu_binary_floats(op, a, b, vectors, result_tile(context, result, vectors))) {
    fail_unknown(context, "binary", op);
  }
}

float combined(SfpuTernaryOp op, float a, float b, float c, float scalar) {
  switch (op) {
    case SfpuTernaryOp::kAddProduct:
      return a + scalar * b * c;
    case SfpuTernaryOp::kAddQuotient:
      return a + scalar * b / c;
    case SfpuTernaryOp::kInterpolate:
      return a + c * (b - a);
  }
  return 0;
}

void ternary(Context* context, SfpuTernaryOp op, uint32_t a, uint32_t b, uint32_t c,
             uint32_t result, uint32_t scalar) {
  if (op > SfpuTernaryOp::kInterpolate) fail_unknown(context, "ternary", op);
  const float* first = dst_floats(context, a);
  const float* second = dst_floats(context, b);
  const float* third = dst_floats(context, c);
  float* target = dst_to_fill(context, result, false);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    target[i] = combined(op, first[i], second[i], third[i], std::bit_cast<float>(scalar));
  }
}

void cumulative_sum(Context* context, uint32_t dst, uint32_t first, float* carry) {
  float* tile = dst_floats(context, dst);
  if (first != 0) std::fill_n(carry, 32, 0.0f);
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      float& value =
          tile[(row / 16 * 2 + column / 16) * kFaceElements + row % 16 * 16 + column % 16];
      value = carry[column] += value;
    }
  }
}

// ---- Whole numbers ----

void integer_unary(Context* context, IntegerUnaryOp op, uint32_t dst, uint32_t a, uint32_t b) {
  if (!unary_integers(op, {a, b, 0}, dst_integers(context, dst))) {
    fail_unknown(context, "unary integer", op);
  }
}

void integer_binary(Context* context, IntegerBinaryOp op, uint32_t left, uint32_t right,
                    uint32_t result, uint32_t mask) {
  const uint32_t* a = dst_integers(context, left);
  const uint32_t* b = dst_integers(context, right);
  if (!binary_integers(op, a, b, mask, words(dst_to_fill(context, result, true)))) {
    fail_unknown(context, "binary integer", op);
  }
}

// ---- Either ----

// Whether an element is zero. Of floats, the zero with a sign counts, too.
bool is_zero(uint32_t word, bool integers) { return (integers ? word : word << 1) == 0; }

void where(Context* context, uint32_t condition, uint32_t left, uint32_t right, uint32_t result) {
  const uint32_t* chosen = words(dst_tile(context, condition));
  const bool condition_integers = dst_holds_integers(context, condition);
  const bool integers = dst_holds_integers(context, left) || dst_holds_integers(context, right);
  const auto operand = [&](uint32_t dst) {
    return integers ? dst_integers(context, dst) : words(dst_floats(context, dst));
  };
  const uint32_t* a = operand(left);
  const uint32_t* b = operand(right);
  uint32_t* target = words(dst_to_fill(context, result, integers));
  for (uint32_t i = 0; i < kTileElements; ++i) {
    target[i] = is_zero(chosen[i], condition_integers) ? b[i] : a[i];
  }
}

void mask(Context* context, uint32_t data, uint32_t mask, uint32_t bits) {
  uint32_t* tile = words(dst_tile(context, data));
  const uint32_t* chosen = words(dst_tile(context, mask));
  const bool integers = dst_holds_integers(context, mask);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    if (is_zero(chosen[i], integers)) tile[i] = bits;
  }
}

void fill(Context* context, uint32_t dst, uint32_t bits, uint32_t integers) {
  std::fill_n(words(dst_to_fill(context, dst, integers != 0)), kTileElements, bits);
}

void copy(Context* context, uint32_t source, uint32_t target) {
  const float* from = dst_tile(context, source);
  float* to = dst_to_fill(context, target, dst_holds_integers(context, source));
  std::memmove(to, from, kTileElements * sizeof(float));
}

void typecast_dst(Context* context, uint32_t dst, uint32_t from, uint32_t to) {
  const auto source = static_cast<DataFormat>(from);
  const auto target = static_cast<DataFormat>(to);
  if (from > 0xff || to > 0xff || !can_typecast(source) || !can_typecast(target)) {
    fail_kernel(context, "typecast from data format %u to %u is not supported", from, to);
  }
  uint32_t* tile =
      is_integer_format(source) ? dst_integers(context, dst) : words(dst_floats(context, dst));
  typecast(source, target, tile);
  dst_to_fill(context, dst, is_integer_format(target));
}

// ---- Random numbers ----

void random(Context* context, uint32_t dst, uint64_t* state, uint32_t from, uint32_t scale) {
  float* tile = dst_to_fill(context, dst, false);
  const float least = std::bit_cast<float>(from);
  const float width = std::bit_cast<float>(scale);
  const float end = least + width;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const float value = least + width * next_fraction(state);
    tile[i] = value == end ? std::nextafter(end, least) : value;  // rounded up
  }
}

void dropout(Context* context, uint32_t dst, uint64_t* state, uint32_t probability,
             uint32_t scale) {
  float* tile = dst_floats(context, dst);
  constexpr uint32_t kCertain = 0x7fffffff;
  const float factor = std::bit_cast<float>(scale);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    tile[i] = (next_random(state) >> 1) % kCertain < probability ? 0.0f : tile[i] * factor;
  }
}

constexpr kernel_abi::SfpuServices kServices = {
    .dst_values = dst_values,
    .unary = unary,
    .binary = binary,
    .ternary = ternary,
    .integer_unary = integer_unary,
    .integer_binary = integer_binary,
    .where = where,
    .mask = mask,
    .fill = fill,
    .copy = copy,
    .typecast = typecast_dst,
    .cumulative_sum = cumulative_sum,
    .random = random,
    .dropout = dropout,
};

}  // namespace

void fill_sfpu_services(kernel_abi::Services& services) {
  services.unary_tile = unary_tile;
  services.sfpu = &kServices;
}

}  // namespace lightmetal::device::cpu
