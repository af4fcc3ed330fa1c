#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Comparisons of whole numbers: 1 or 0. With two operands, the result is in the first.
namespace ckernel {

ALWI void eq_int32_tile_init() {}
template <auto... modes>
ALWI void eq_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kEqual, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void eq_int32_tile(uint32_t idst0, uint32_t idst1) {
  eq_int32_tile(idst0, idst1, idst0);
}
ALWI void eq_uint32_tile_init() {}
template <auto... modes>
ALWI void eq_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kEqual, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void eq_uint32_tile(uint32_t idst0, uint32_t idst1) {
  eq_uint32_tile(idst0, idst1, idst0);
}

ALWI void ne_int32_tile_init() {}
template <auto... modes>
ALWI void ne_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kNotEqual, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void ne_int32_tile(uint32_t idst0, uint32_t idst1) {
  ne_int32_tile(idst0, idst1, idst0);
}
ALWI void ne_uint32_tile_init() {}
template <auto... modes>
ALWI void ne_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kNotEqual, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void ne_uint32_tile(uint32_t idst0, uint32_t idst1) {
  ne_uint32_tile(idst0, idst1, idst0);
}

ALWI void lt_int32_tile_init() {}
template <auto... modes>
ALWI void lt_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLess, idst0, idst1, odst);
}
template <auto... modes>
ALWI void lt_int32_tile(uint32_t idst0, uint32_t idst1) {
  lt_int32_tile(idst0, idst1, idst0);
}
ALWI void lt_uint32_tile_init() {}
template <auto... modes>
ALWI void lt_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedLess, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void lt_uint32_tile(uint32_t idst0, uint32_t idst1) {
  lt_uint32_tile(idst0, idst1, idst0);
}

ALWI void le_int32_tile_init() {}
template <auto... modes>
ALWI void le_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLessEqual, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void le_int32_tile(uint32_t idst0, uint32_t idst1) {
  le_int32_tile(idst0, idst1, idst0);
}
ALWI void le_uint32_tile_init() {}
template <auto... modes>
ALWI void le_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedLessEqual, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void le_uint32_tile(uint32_t idst0, uint32_t idst1) {
  le_uint32_tile(idst0, idst1, idst0);
}

ALWI void gt_int32_tile_init() {}
template <auto... modes>
ALWI void gt_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kGreater, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void gt_int32_tile(uint32_t idst0, uint32_t idst1) {
  gt_int32_tile(idst0, idst1, idst0);
}
ALWI void gt_uint32_tile_init() {}
template <auto... modes>
ALWI void gt_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedGreater, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void gt_uint32_tile(uint32_t idst0, uint32_t idst1) {
  gt_uint32_tile(idst0, idst1, idst0);
}

ALWI void ge_int32_tile_init() {}
template <auto... modes>
ALWI void ge_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kGreaterEqual, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void ge_int32_tile(uint32_t idst0, uint32_t idst1) {
  ge_int32_tile(idst0, idst1, idst0);
}
ALWI void ge_uint32_tile_init() {}
template <auto... modes>
ALWI void ge_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedGreaterEqual,
                                    idst0, idst1, odst);
}
template <auto... modes>
ALWI void ge_uint32_tile(uint32_t idst0, uint32_t idst1) {
  ge_uint32_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
