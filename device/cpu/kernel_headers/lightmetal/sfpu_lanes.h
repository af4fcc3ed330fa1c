#pragma once

#include "lightmetal/sfpi_calls.h"

// Functions of ckernel::sfpu that kernels of 2025 call from functions of their own, on one vector.
// As everywhere here, the approximate forms give the accurate result.
namespace lightmetal::kernel {

// e^x: a power of two, times a series of the rest, which is at most half the logarithm of two.
FORCE_INLINE float exponential(float x) {
  if (!(x < 89.0f)) return x != x ? x : __builtin_inff();
  if (x < -104.0f) return 0;
  constexpr double kLog2 = 0.69314718055994530942;
  const double scaled = static_cast<double>(x) / kLog2;
  const auto power = static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double rest = static_cast<double>(x) - power * kLog2;
  double sum = 1, term = 1;
  for (int i = 1; i < 14; ++i) sum += term *= rest / i;
  const auto bits = static_cast<uint64_t>(power + 1023) << 52;
  return static_cast<float>(sum * __builtin_bit_cast(double, bits));
}

// Of a number above 0: that of its mantissa, between 2/3 and 4/3, is a series of (m - 1) / (m + 1).
FORCE_INLINE double logarithm(double x) {
  constexpr double kLog2 = 0.69314718055994530942;
  const auto bits = __builtin_bit_cast(uint64_t, x);
  int power = static_cast<int>(bits >> 52) - 1023;
  double mantissa = __builtin_bit_cast(double, (bits & 0xfffffffffffff) | uint64_t{1023} << 52);
  if (mantissa > 4.0 / 3) {
    mantissa /= 2;
    ++power;
  }
  const double ratio = (mantissa - 1) / (mantissa + 1);
  double sum = 0, term = ratio;
  for (int i = 1; i < 28; i += 2, term *= ratio * ratio) sum += term / i;
  return 2 * sum + power * kLog2;
}

// Where dst_reg[0] was set last, and sets it.
inline uint32_t dst_begin = 0;
FORCE_INLINE void begin_dst_at(uint32_t vector) { dst_vector = dst_begin = vector; }

// What `function` makes of each lane.
template <typename Function>
FORCE_INLINE sfpi::vFloat of_each_lane(sfpi::vFloat in, Function function) {
  sfpi::vFloat::Lanes lanes = in.lanes();
  for (int i = 0; i < 32; ++i) lanes[i] = function(lanes[i]);
  return lanes;
}

}  // namespace lightmetal::kernel

namespace ckernel::sfpu {

struct Converter {
  static FORCE_INLINE float as_float(uint32_t bits) { return lightmetal::kernel::float_of(bits); }
};

template <auto... modes>
FORCE_INLINE sfpi::vFloat _sfpu_reciprocal_(sfpi::vFloat in) {
  return sfpi::vFloat(1.0f / in.lanes());
}
template <auto... modes>
FORCE_INLINE sfpi::vFloat _reciprocal_compat_(sfpi::vFloat in) {
  return _sfpu_reciprocal_<modes...>(in);
}

// Where kernels do not accumulate in 32 bits, they ask for the result as bfloat16.
template <bool is_fp32_dest_acc_en = true>
FORCE_INLINE sfpi::vFloat _sfpu_exp_21f_(sfpi::vFloat in) {
  return lightmetal::kernel::of_each_lane(in, lightmetal::kernel::exponential);
}
FORCE_INLINE sfpi::vFloat _sfpu_exp_61f_(sfpi::vFloat in) { return _sfpu_exp_21f_(in); }
// The scale is the bits of a bfloat16.
template <bool APPROXIMATION_MODE, bool SCALE_EN, auto... modes>
FORCE_INLINE sfpi::vFloat _calculate_exponential_piecewise_(sfpi::vFloat in, uint16_t scale) {
  return _sfpu_exp_21f_(SCALE_EN ? in * sfpi::vFloat(sfpi::s2vFloat16b(uint32_t{scale})) : in);
}

// log(1 + e^(beta x)) / beta of the vector at dst_reg; x itself where beta x is above the
// threshold.
template <auto... modes>
FORCE_INLINE void calculate_softplus_body(sfpi::vFloat beta, sfpi::vFloat beta_reciprocal,
                                          sfpi::vFloat threshold) {
  const sfpi::vFloat x = sfpi::dst_reg[0];
  const sfpi::vFloat scaled = beta * x;
  const sfpi::vFloat soft = lightmetal::kernel::of_each_lane(scaled, [](float each) {
    const double power = lightmetal::kernel::exponential(each);
    return static_cast<float>(power < 1e-4 ? power - power * power / 2
                                           : lightmetal::kernel::logarithm(1 + power));
  });
  sfpi::vFloat result = soft * beta_reciprocal;
  v_if(scaled > threshold) { result = x; }
  v_endif;
  sfpi::dst_reg[0] = result;
}

}  // namespace ckernel::sfpu

namespace ckernel::math {

// Where dst_reg[0] is from here on: the tile.
template <auto... modes>
ALWI void set_dst_write_addr(uint32_t tile_index) {
  lightmetal::kernel::begin_dst_at(tile_index * lightmetal::kernel_abi::kVectorsPerTile);
}
ALWI void clear_dst_reg_addr() { lightmetal::kernel::begin_dst_at(0); }
// How instructions move counters on of themselves, which vectors here do not.
ALWI void set_addr_mod_base() {}
ALWI void clear_addr_mod_base() {}

}  // namespace ckernel::math

namespace ckernel {

// One of ADD_UNARY to RSUB_UNARY with a float's bits; those of DIV_UNARY are of the reciprocal.
template <bool APPROXIMATE, int BINOP_MODE>
ALWI void llk_math_eltwise_unary_sfpu_binop_with_scalar(uint32_t dst_index, uint32_t param1,
                                                        int vector_mode = VectorMode::RC) {
  using lightmetal::kernel::UnaryOp;
  constexpr UnaryOp kOps[] = {UnaryOp::kAddScalar, UnaryOp::kSubScalar, UnaryOp::kMulScalar,
                              UnaryOp::kMulScalar, UnaryOp::kReverseSub};
  lightmetal::kernel::sfpu_unary(kOps[BINOP_MODE], dst_index, param1, 0, 0,
                                 lightmetal::kernel::vectors_of(vector_mode));
}

struct p_setrwc {
  enum : uint8_t { CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3 };
  enum : uint8_t { CR_A = 1, CR_B = 2, CR_AB = 3, CR_D = 4, C_TO_CR_MODE = 8 };
  enum : uint8_t { SET_A = 1, SET_B = 2, SET_AB = 3, SET_D = 4 };
};

// Moves dst_reg[0] on by rows, of which two vectors have four, from where it was set last: what
// functions have added by dst_reg++ does not count. The hardware's other counters are not there.
ALWI void TTI_SETRWC(uint32_t clear, uint32_t increment, uint32_t rows, uint32_t rows_b,
                     uint32_t rows_a, uint32_t counters) {
  if (clear != p_setrwc::CLR_NONE || increment != p_setrwc::CR_D || counters != p_setrwc::SET_D)
    lightmetal::kernel::fail("TTI_SETRWC moves DST's counter alone: CLR_NONE, CR_D, SET_D");
  lightmetal::kernel::begin_dst_at(lightmetal::kernel::dst_begin + rows / 2);
}

enum class DstTileLayout : uint8_t { Default, Interleaved };
enum class DstTileShape : uint8_t { Tile32x32, Tile32x16, Tile16x16 };

}  // namespace ckernel

#define sfpi_inline inline __attribute__((always_inline))
#define LOWER_HALFWORD(word) ((word)&0xffff)
#define UPPER_HALFWORD(word) ((word) >> 16)
