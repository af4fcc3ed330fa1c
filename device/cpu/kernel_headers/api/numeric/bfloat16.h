#pragma once

#include "lightmetal/kernel.h"

// bfloat16 as 16 bits.

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

FORCE_INLINE float bf16_to_fp32(std::uint16_t bf16) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(bf16) << 16);
}
FORCE_INLINE std::uint16_t fp32_to_bf16_truncate(float x) {
  return static_cast<uint16_t>(__builtin_bit_cast(uint32_t, x) >> 16);
}
// To nearest, ties to even. What is no number stays none.
FORCE_INLINE std::uint16_t fp32_to_bf16(float x) {
  if (__builtin_isnan(x)) return fp32_to_bf16_truncate(x) | 0x40;
  const auto bits = __builtin_bit_cast(uint32_t, x);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

struct FloatBits {
  explicit FloatBits(float value)
      : high16(fp32_to_bf16_truncate(value)),
        low16(static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value))) {}

  std::uint16_t high16;
  std::uint16_t low16;
};

namespace lightmetal::kernel {

// Bits of a sign and a magnitude as a number in the same order; the zeros of both signs are equal.
template <typename Bits>
constexpr int64_t in_order(Bits bits, Bits sign) {
  const auto magnitude = static_cast<int64_t>(static_cast<Bits>(bits & ~sign));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace lightmetal::kernel

// By bits: what is no number counts as beyond infinity.
inline bool bfloat16_greater(uint16_t bf16_a, uint16_t bf16_b) {
  return lightmetal::kernel::in_order(bf16_a, BFLOAT16_SIGN_MASK) >
         lightmetal::kernel::in_order(bf16_b, BFLOAT16_SIGN_MASK);
}
