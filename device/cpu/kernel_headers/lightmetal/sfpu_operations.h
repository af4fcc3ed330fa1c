#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The operations that have no header of their own in TT-Metalium: kernels get them from
// compute_kernel_api.h.
namespace ckernel {

template <auto... modes>
ALWI void sigmoid_tile_init() {}
template <int vec_mode = VectorMode::RC, auto... modes>
ALWI void sigmoid_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSigmoid, idst, 0, 0, 0,
                                 lightmetal::kernel::vectors_of(vec_mode));
}

template <auto... modes>
ALWI void log_tile_init() {}
template <auto... modes>
ALWI void log_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLog, idst);
}

template <auto... modes>
ALWI void tanh_tile_init() {}
template <auto... modes>
ALWI void tanh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kTanh, idst);
}

template <auto... modes>
ALWI void exp2_tile_init() {}
template <auto... modes>
ALWI void exp2_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kExp2, idst);
}

template <auto... modes>
ALWI void expm1_tile_init() {}
template <auto... modes>
ALWI void expm1_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kExpm1, idst);
}

template <auto... modes>
ALWI void silu_tile_init() {}
template <auto... modes>
ALWI void silu_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSilu, idst);
}

template <auto... modes>
ALWI void square_tile_init() {}
template <auto... modes>
ALWI void square_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSquare, idst);
}

template <auto... modes>
ALWI void sign_tile_init() {}
template <auto... modes>
ALWI void sign_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSign, idst);
}

// log(x) times `base_scale`, the reciprocal of the base's logarithm: a float's bits or, where it
// fits in 16 bits as older kernels give it, those of a number with 5 bits of exponent.
template <auto... modes>
ALWI void log_with_base_tile_init() {}
template <auto... modes>
ALWI void log_with_base_tile(uint32_t idst, uint32_t base_scale) {
  const uint32_t scale =
      base_scale > 0xffff
          ? base_scale
          : lightmetal::kernel::bits_of(lightmetal::kernel::float16_value(base_scale));
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kScaledLog, idst, scale);
}

template <auto... modes>
ALWI void abs_tile_init() {}
template <auto... modes>
ALWI void abs_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAbs, idst);
}
ALWI void abs_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kAbs, idst);
}

ALWI void signbit_tile_init() {}
ALWI void signbit_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSignBit, idst);
}
ALWI void signbit_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kSignBit, idst);
}

// x^param0. The exponent is a float's bits, or a whole number below 2^23.
ALWI void power_tile_init() {}
ALWI void power_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kPower, idst, param0);
}
ALWI void power_iterative_tile_init() {}
ALWI void power_iterative_tile(uint32_t idst, uint32_t param0) { power_tile(idst, param0); }

// 1 above zero, 0 below, the float with the bits param0 else.
ALWI void heaviside_tile_init() {}
ALWI void heaviside_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kHeaviside, idst, param0);
}

ALWI void unary_max_tile_init() {}
ALWI void unary_max_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kMaximum, idst, param0);
}
ALWI void unary_max_int32_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kMaximum, idst, param0);
}
ALWI void unary_max_int32_tile_init() {}
ALWI void unary_max_uint32_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kUnsignedMaximum, idst,
                                    param0);
}
ALWI void unary_max_uint32_tile_init() {}

ALWI void unary_min_tile_init() {}
ALWI void unary_min_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kMinimum, idst, param0);
}
ALWI void unary_min_int32_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kMinimum, idst, param0);
}
ALWI void unary_min_int32_tile_init() {}
ALWI void unary_min_uint32_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kUnsignedMinimum, idst,
                                    param0);
}
ALWI void unary_min_uint32_tile_init() {}

// Pairs of neighbours in a row are complex numbers: times i.
ALWI void alt_complex_rotate90_tile_init() {}
ALWI void alt_complex_rotate90_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRotatePairs, idst);
}

// The greater of two tiles, into the first.
ALWI void max_tile_init() {}
ALWI void max_tile(uint32_t idst0, uint32_t idst1, int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kMaximum, idst0, idst1, idst0,
                                  lightmetal::kernel::vectors_of(vector_mode));
}

}  // namespace ckernel
