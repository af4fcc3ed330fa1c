#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Functions of two tiles of floats that no service has: each is made of services and of what a
// kernel computes itself. The result may be in a tile that is read.
namespace lightmetal::kernel {

constexpr uint32_t kTileElements = 1024;

FORCE_INLINE uint32_t float_magnitude(float x) { return bits_of(x) & 0x7fffffff; }
FORCE_INLINE bool is_nan(float x) { return float_magnitude(x) > 0x7f800000; }
FORCE_INLINE float size_of_float(float x) { return float_of(float_magnitude(x)); }
FORCE_INLINE float with_sign_of(float size, float sign) {
  return float_of(float_magnitude(size) | (bits_of(sign) & 0x80000000));
}
inline constexpr float kNan = __builtin_nanf("");
inline constexpr float kInfinity = __builtin_inff();

// result = function(left, right) for each element.
template <typename Function>
FORCE_INLINE void for_each_pair(uint32_t left, uint32_t right, uint32_t result, Function function) {
  const auto* a = static_cast<const float*>(dst_operand(left, false));
  const auto* b = static_cast<const float*>(dst_operand(right, false));
  float results[kTileElements];
  for (uint32_t i = 0; i < kTileElements; ++i) results[i] = function(a[i], b[i]);
  __builtin_memcpy(sfpu().dst_values(context(), result, kernel_abi::DstUse::kWriteFloats), results,
                   sizeof(results));
}

// Exact: the remainder of x over y with the sign of x.
inline float remainder_towards_zero(float x, float y) {
  if (is_nan(x) || is_nan(y) || float_magnitude(x) == 0x7f800000 || y == 0) return kNan;
  if (size_of_float(x) < size_of_float(y)) return x;
  double rest = size_of_float(x);
  const double divisor = size_of_float(y);
  // A double holds every multiple of the divisor by a power of two that is needed: both numbers
  // have 24 bits, and doubles more exponents than floats.
  double multiple = divisor;
  while (multiple * 2 <= rest) multiple *= 2;
  for (; multiple >= divisor; multiple /= 2) {
    if (rest >= multiple) rest -= multiple;
  }
  return with_sign_of(static_cast<float>(rest), x);
}

inline float remainder_towards_minus_infinity(float x, float y) {
  const float rest = remainder_towards_zero(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// The next number from x towards y among those that have zeros below the bit `unit`.
inline float next_number(float x, float y, uint32_t unit) {
  if (is_nan(x) || is_nan(y)) return kNan;
  if (x == y) return y;
  if (x == 0) return with_sign_of(float_of(unit), y);
  const uint32_t bits = bits_of(x) & ~(unit - 1);
  const bool away_from_zero = (x < y) == (x > 0);
  return float_of(away_from_zero ? bits + unit : bits - unit);
}

FORCE_INLINE float greater_of(float a, float b) { return a > b ? a : b; }

// log(e^x + e^y) without numbers that are too great: the greater one and log(1 + e^-|x - y|).
// `base` is 1 for powers of e, log 2 for powers of 2.
FORCE_INLINE void log_of_sum(uint32_t left, uint32_t right, uint32_t result, float base) {
  const auto* a = static_cast<const float*>(dst_operand(left, false));
  const auto* b = static_cast<const float*>(dst_operand(right, false));
  float greater[kTileElements], distance[kTileElements];
  for (uint32_t i = 0; i < kTileElements; ++i) {
    greater[i] = is_nan(a[i]) || is_nan(b[i]) ? kNan : greater_of(a[i], b[i]);
    distance[i] = a[i] == b[i] ? 0 : -size_of_float(a[i] - b[i]) * base;
  }
  auto* to =
      static_cast<float*>(sfpu().dst_values(context(), result, kernel_abi::DstUse::kWriteFloats));
  __builtin_memcpy(to, distance, sizeof(distance));
  sfpu_unary(UnaryOp::kExp, result);
  sfpu_unary(UnaryOp::kLog1p, result);
  for (uint32_t i = 0; i < kTileElements; ++i) to[i] = greater[i] + to[i] / base;
}

// The angle of the point (x, y): the arc tangent of the smaller coordinate over the greater one,
// then what the octant asks for.
FORCE_INLINE void angle_of_point(uint32_t tile_y, uint32_t tile_x, uint32_t result) {
  constexpr float kPi = 3.14159274f;
  float y[kTileElements], x[kTileElements];
  __builtin_memcpy(y, dst_operand(tile_y, false), sizeof(y));
  __builtin_memcpy(x, dst_operand(tile_x, false), sizeof(x));
  auto* to =
      static_cast<float*>(sfpu().dst_values(context(), result, kernel_abi::DstUse::kWriteFloats));
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const float a = size_of_float(y[i]), b = size_of_float(x[i]);
    to[i] = a == b ? (is_nan(a) ? kNan : a == 0 ? 0.0f : 1.0f) : a < b ? a / b : b / a;
  }
  sfpu_unary(UnaryOp::kAtan, result);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    float angle = to[i];
    if (size_of_float(y[i]) > size_of_float(x[i])) angle = kPi / 2 - angle;
    if ((bits_of(x[i]) & 0x80000000) != 0) angle = kPi - angle;
    to[i] = is_nan(x[i]) || is_nan(y[i]) ? kNan : with_sign_of(angle, y[i]);
  }
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <auto... modes>
ALWI void atan2_binary_tile_init() {}
template <auto... modes>
ALWI void atan2_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::angle_of_point(idst0, idst1, odst);
}

ALWI void fmod_binary_tile_init() {}
template <auto... modes>
ALWI void fmod_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::for_each_pair(idst0, idst1, odst, lightmetal::kernel::remainder_towards_zero);
}
ALWI void remainder_binary_tile_init() {}
template <auto... modes>
ALWI void remainder_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::for_each_pair(idst0, idst1, odst,
                                    lightmetal::kernel::remainder_towards_minus_infinity);
}

ALWI void nextafter_binary_tile_init() {}
template <auto... modes>
ALWI void nextafter_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::for_each_pair(idst0, idst1, odst, [](float x, float y) {
    return lightmetal::kernel::next_number(x, y, 1);
  });
}
// Among bfloat16 numbers.
ALWI void nextafter_bf16_binary_tile_init() {}
template <auto... modes>
ALWI void nextafter_bf16_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::for_each_pair(idst0, idst1, odst, [](float x, float y) {
    return lightmetal::kernel::next_number(x, y, 0x10000);
  });
}

// 1 where |a - b| <= atol + rtol |b|, else 0; both tolerances are floats' bits. Equal infinities
// are close; NaN only to NaN, and only with EQUAL_NAN.
ALWI void isclose_binary_tile_init() {}
template <bool EQUAL_NAN = false>
ALWI void isclose_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, uint32_t rtol_bits,
                              uint32_t atol_bits) {
  using namespace lightmetal::kernel;
  const float relative = float_of(rtol_bits), absolute = float_of(atol_bits);
  for_each_pair(idst0, idst1, odst, [&](float a, float b) {
    if (is_nan(a) || is_nan(b)) return EQUAL_NAN && is_nan(a) && is_nan(b) ? 1.0f : 0.0f;
    const bool finite = float_magnitude(a) < 0x7f800000 && float_magnitude(b) < 0x7f800000;
    const bool near = finite && size_of_float(a - b) <= absolute + relative * size_of_float(b);
    return a == b || near ? 1.0f : 0.0f;
  });
}

// log(e^a + e^b), and the same of 2.
template <auto... modes>
ALWI void logaddexp_binary_tile_init() {}
template <auto... modes>
ALWI void logaddexp_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::log_of_sum(idst0, idst1, odst, 1.0f);
}
template <auto... modes>
ALWI void logaddexp2_binary_tile_init() {}
template <auto... modes>
ALWI void logaddexp2_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::log_of_sum(idst0, idst1, odst, 0.693147181f);
}

// log(1 / (1 + e^-x)) of the first tile; the second, which holds e^-x, is not needed.
ALWI void logsigmoid_tile_init() {}
ALWI void logsigmoid_tile(uint32_t idst_in0, uint32_t /*idst_in1*/, uint32_t idst_out) {
  using namespace lightmetal::kernel;
  for_each_pair(idst_in0, idst_in0, idst_out, [](float x, float) { return -x; });
  float negated[kTileElements];
  auto* to = static_cast<float*>(dst_operand(idst_out, false));
  __builtin_memcpy(negated, to, sizeof(negated));
  for (uint32_t i = 0; i < kTileElements; ++i) to[i] = -size_of_float(to[i]);
  sfpu_unary(UnaryOp::kExp, idst_out);
  sfpu_unary(UnaryOp::kLog1p, idst_out);
  for (uint32_t i = 0; i < kTileElements; ++i)
    to[i] = is_nan(negated[i]) ? kNan : -(greater_of(negated[i], 0) + to[i]);
}

}  // namespace ckernel
