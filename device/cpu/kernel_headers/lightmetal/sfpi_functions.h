#pragma once

#include "sfpi.h"

// SFPI's functions: parts of floats, shifts, conversions.
namespace sfpi {

namespace detail {

using lightmetal::kernel::FloatLanes;
using lightmetal::kernel::IntLanes;
using lightmetal::kernel::UIntLanes;

inline constexpr uint32_t kSign = 0x80000000;
inline constexpr uint32_t kMantissa = 0x007fffff;

FORCE_INLINE vUInt bits(vFloat v) { return reinterpret<vUInt>(v); }
FORCE_INLINE vFloat from_bits(vUInt v) { return reinterpret<vFloat>(v); }
FORCE_INLINE vUInt choose(vBool condition, vUInt yes, vUInt no) {
  return lightmetal::kernel::chosen(condition.lanes(), yes.lanes(), no.lanes());
}

// To the nearest multiple of 2^bits of the bits, ties to even; NaN stays NaN.
FORCE_INLINE vUInt rounded_bits(vFloat v, uint32_t low) {
  const vUInt word = bits(v);
  const vUInt half = (word >> low & vUInt(1)) + vUInt((1u << (low - 1)) - 1);
  return choose(v == v, word + half, word | vUInt(0x00400000)) & vUInt(~0u << low);
}

// The nearest whole number, ties to even, bounded; NaN becomes the least.
FORCE_INLINE vInt nearest(vFloat v, float least, float most) {
  constexpr float kShifter = 12582912.0f;  // 1.5 * 2^23: whole numbers lie one unit apart there
  const FloatLanes low =
      lightmetal::kernel::chosen((v > vFloat(least)).lanes(), v.lanes(), vFloat(least).lanes());
  const FloatLanes bounded =
      lightmetal::kernel::chosen((vFloat(low) < vFloat(most)).lanes(), low, vFloat(most).lanes());
  return reinterpret<vInt>(vFloat(bounded) + kShifter) - vInt(0x4b400000);
}

}  // namespace detail

FORCE_INLINE vFloat abs(vFloat v) {
  return detail::from_bits(detail::bits(v) & vUInt(~detail::kSign));
}
FORCE_INLINE vInt abs(vInt v) {
  const vInt negative = v >> 31;
  return (v ^ negative) - negative;
}

// The exponent's bits; exexp subtracts the bias.
FORCE_INLINE vInt exexp_nodebias(vFloat v) {
  return reinterpret<vInt>(detail::bits(v) >> 23 & vUInt(0xff));
}
FORCE_INLINE vInt exexp(vFloat v) { return exexp_nodebias(v) - vInt(127); }
// The mantissa's 23 bits; exman8 puts the hidden one above.
FORCE_INLINE vInt exman9(vFloat v) {
  return reinterpret<vInt>(detail::bits(v) & vUInt(detail::kMantissa));
}
FORCE_INLINE vInt exman8(vFloat v) { return exman9(v) | vInt(0x00800000); }

// Replace the bits of the exponent, the mantissa or the sign.
FORCE_INLINE vFloat setexp(vFloat v, vUInt exponent) {
  return detail::from_bits((detail::bits(v) & vUInt(detail::kSign | detail::kMantissa)) |
                           (exponent & vUInt(0xff)) << 23);
}
FORCE_INLINE vFloat setexp(vFloat v, vInt exponent) { return setexp(v, vUInt(exponent)); }
FORCE_INLINE vFloat setexp(vFloat v, uint32_t exponent) { return setexp(v, vUInt(exponent)); }
FORCE_INLINE vFloat setexp(vFloat v, int exponent) { return setexp(v, vUInt(exponent)); }
FORCE_INLINE vFloat setman(vFloat v, vUInt mantissa) {
  return detail::from_bits((detail::bits(v) & vUInt(~detail::kMantissa)) |
                           (mantissa & vUInt(detail::kMantissa)));
}
FORCE_INLINE vFloat setman(vFloat v, vInt mantissa) { return setman(v, vUInt(mantissa)); }
FORCE_INLINE vFloat setman(vFloat v, uint32_t mantissa) { return setman(v, vUInt(mantissa)); }
FORCE_INLINE vFloat setman(vFloat v, int mantissa) { return setman(v, vUInt(mantissa)); }
// The sign of another float, or that which a number says: 0 or 1.
FORCE_INLINE vFloat setsgn(vFloat v, vFloat sign) {
  return detail::from_bits((detail::bits(v) & vUInt(~detail::kSign)) |
                           (detail::bits(sign) & vUInt(detail::kSign)));
}
FORCE_INLINE vFloat setsgn(vFloat v, vInt sign) { return setsgn(v, reinterpret<vFloat>(sign)); }
FORCE_INLINE vFloat setsgn(vFloat v, int sign) {
  return setsgn(v, vInt(static_cast<int32_t>(static_cast<uint32_t>(sign) << 31)));
}
FORCE_INLINE vFloat copysgn(vFloat v, vFloat sign) { return setsgn(v, sign); }

// Times 2^amount, by the exponent's bits; zeros, denormals, infinities and NaN stay.
FORCE_INLINE vFloat addexp(vFloat v, int32_t amount) {
  const vInt exponent = exexp_nodebias(v);
  const vBool normal = exponent > vInt(0) && exponent < vInt(0xff);
  return detail::from_bits(
      detail::choose(normal, detail::bits(setexp(v, exponent + vInt(amount))), detail::bits(v)));
}

// To the left, or to the right by negative amounts; by 32 bits and more: 0.
FORCE_INLINE vUInt shft(vUInt v, vInt amount) {
  const vUInt left = vUInt(amount) & vUInt(31);
  const vUInt right = vUInt(-amount) & vUInt(31);
  const vUInt shifted =
      detail::choose(amount >= vInt(0), v.lanes() << left.lanes(), v.lanes() >> right.lanes());
  return detail::choose(abs(amount) < vInt(32), shifted, vUInt(0));
}
FORCE_INLINE vUInt shft(vUInt v, int amount) { return shft(v, vInt(amount)); }
FORCE_INLINE vInt shft(vInt v, vInt amount) { return vInt(shft(vUInt(v), amount)); }
FORCE_INLINE vInt shft(vInt v, int amount) { return shft(v, vInt(amount)); }

// Zero bits above the highest that is set; 32 for 0.
FORCE_INLINE vInt lz(vUInt v) {
  vUInt left = v;
  vInt zeros = 0;
  for (uint32_t step = 16; step != 0; step /= 2) {
    const vBool none = (left >> (32 - step)) == vUInt(0);
    zeros = zeros + vInt(none.lanes() & vInt(static_cast<int32_t>(step)).lanes());
    left = detail::choose(none, left << step, left);
  }
  return zeros + vInt((left == vUInt(0)).lanes() & vInt(1).lanes());
}
FORCE_INLINE vInt lz(vInt v) { return lz(vUInt(v)); }
FORCE_INLINE vInt lz(vFloat v) { return lz(detail::bits(v)); }

// Rounds to nearest, whatever the mode: this device has no stochastic rounding.
FORCE_INLINE vFloat int32_to_float(vInt v, int round_mode = 1) {
  return __builtin_convertvector(v.lanes(), detail::FloatLanes);
}
// The nearest number of 16 bits, as the bits of a float.
FORCE_INLINE vUInt float_to_fp16b(vFloat v, int round_mode = 1) {
  return detail::rounded_bits(v, 16);
}
FORCE_INLINE vUInt float_to_fp16a(vFloat v, int round_mode = 1) {
  return detail::rounded_bits(v, 13);
}
// The nearest whole numbers, bounded by their width.
FORCE_INLINE vUInt float_to_uint8(vFloat v, int round_mode = 1) {
  return vUInt(detail::nearest(v, 0.0f, 255.0f));
}
FORCE_INLINE vInt float_to_int8(vFloat v, int round_mode = 1) {
  return detail::nearest(v, -127.0f, 127.0f);
}
FORCE_INLINE vUInt float_to_uint16(vFloat v, int round_mode = 1) {
  return vUInt(detail::nearest(v, 0.0f, 65535.0f));
}
FORCE_INLINE vInt float_to_int16(vFloat v, int round_mode = 1) {
  return detail::nearest(v, -32767.0f, 32767.0f);
}

FORCE_INLINE void vec_swap(vFloat& a, vFloat& b) {
  const vFloat before = a;
  a = b;
  b = before;
}
// The smaller to the first, the greater to the second.
FORCE_INLINE void vec_min_max(vFloat& least, vFloat& most) {
  const vBool swap = least > most;
  const vFloat before = least;
  least = lightmetal::kernel::chosen(swap.lanes(), most.lanes(), least.lanes());
  most = lightmetal::kernel::chosen(swap.lanes(), before.lanes(), most.lanes());
}

}  // namespace sfpi
