#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Comparisons with a scalar and with zero: 1 or 0.
namespace ckernel {

ALWI void unary_eq_tile_init() {}
ALWI void unary_eq_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kEqual, idst, param0);
}
ALWI void unary_eq_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, param0);
}

ALWI void unary_ne_tile_init() {}
ALWI void unary_ne_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kNotEqual, idst, param0);
}
ALWI void unary_ne_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNotEqual, idst, param0);
}

ALWI void unary_lt_tile_init() {}
ALWI void unary_lt_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLess, idst, param0);
}
ALWI void unary_lt_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kLess, idst, param0);
}

ALWI void unary_le_tile_init() {}
ALWI void unary_le_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLessEqual, idst, param0);
}
ALWI void unary_le_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kLessEqual, idst, param0);
}

ALWI void unary_gt_tile_init() {}
ALWI void unary_gt_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGreater, idst, param0);
}
ALWI void unary_gt_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kGreater, idst, param0);
}

ALWI void unary_ge_tile_init() {}
ALWI void unary_ge_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGreaterEqual, idst, param0);
}
ALWI void unary_ge_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kGreaterEqual, idst,
                                    param0);
}

ALWI void eqz_tile_init() {}
ALWI void eqz_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kEqual, idst, 0);
}
ALWI void eqz_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}
ALWI void eqz_tile_uint16(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}
ALWI void eqz_tile_uint32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}

ALWI void nez_tile_init() {}
ALWI void nez_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kNotEqual, idst, 0);
}
ALWI void nez_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNotEqual, idst, 0);
}
ALWI void nez_tile_uint16(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNotEqual, idst, 0);
}
ALWI void nez_tile_uint32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNotEqual, idst, 0);
}

ALWI void ltz_tile_init() {}
ALWI void ltz_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLess, idst, 0);
}
ALWI void ltz_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kLess, idst, 0);
}

ALWI void lez_tile_init() {}
ALWI void lez_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLessEqual, idst, 0);
}
ALWI void lez_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kLessEqual, idst, 0);
}

ALWI void gtz_tile_init() {}
ALWI void gtz_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGreater, idst, 0);
}
ALWI void gtz_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kGreater, idst, 0);
}

ALWI void gez_tile_init() {}
ALWI void gez_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGreaterEqual, idst, 0);
}
ALWI void gez_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kGreaterEqual, idst, 0);
}

}  // namespace ckernel
