#pragma once

#include "api/numeric/bfloat16.h"

// float as 32 bits.

inline constexpr uint32_t NEG_INF_FLOAT32 = 0xFF800000;
inline constexpr uint32_t POS_INF_FLOAT32 = 0x7F800000;
inline constexpr uint32_t NAN_FLOAT32 = 0x7FFFFFFF;
inline constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000;
inline constexpr uint32_t FLOAT32_EXPONENT_MASK = 0x7F800000;
inline constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x007FFFFF;
inline constexpr uint32_t FLOAT32_MAGNITUDE_MASK = 0x7FFFFFFF;

// By bits: what is no number counts as beyond infinity.
inline bool float32_greater(uint32_t f32_a, uint32_t f32_b) {
  return lightmetal::kernel::in_order(f32_a, FLOAT32_SIGN_MASK) >
         lightmetal::kernel::in_order(f32_b, FLOAT32_SIGN_MASK);
}
