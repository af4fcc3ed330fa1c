#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Operations on two tiles of DST. With two operands, the result is in the first. Comparisons give 1
// or 0.
namespace ckernel {

ALWI void add_binary_tile_init() {}
template <auto... modes>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kAdd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1) {
  add_binary_tile(idst0, idst1, idst0);
}

ALWI void sub_binary_tile_init() {}
template <auto... modes>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kSub, idst0, idst1, odst);
}
template <auto... modes>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1) {
  sub_binary_tile(idst0, idst1, idst0);
}

ALWI void mul_binary_tile_init() {}
template <auto... modes>
ALWI void mul_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kMul, idst0, idst1, odst);
}
template <auto... modes>
ALWI void mul_binary_tile(uint32_t idst0, uint32_t idst1) {
  mul_binary_tile(idst0, idst1, idst0);
}

ALWI void div_binary_tile_init() {}
template <auto... modes>
ALWI void div_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kDiv, idst0, idst1, odst);
}
template <auto... modes>
ALWI void div_binary_tile(uint32_t idst0, uint32_t idst1) {
  div_binary_tile(idst0, idst1, idst0);
}

ALWI void rsub_binary_tile_init() {}
template <auto... modes>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kReverseSub, idst0, idst1,
                                  odst);
}
template <auto... modes>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1) {
  rsub_binary_tile(idst0, idst1, idst0);
}

ALWI void power_binary_tile_init() {}
template <auto... modes>
ALWI void power_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kPower, idst0, idst1, odst);
}
template <auto... modes>
ALWI void power_binary_tile(uint32_t idst0, uint32_t idst1) {
  power_binary_tile(idst0, idst1, idst0);
}

// 0 where the divisor is.
template <auto... modes>
ALWI void div_no_nan_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kDivOrZero, idst0, idst1, odst);
}
template <auto... modes>
ALWI void div_no_nan_binary_tile(uint32_t idst0, uint32_t idst1) {
  div_no_nan_binary_tile(idst0, idst1, idst0);
}

ALWI void eq_binary_tile_init() {}
template <auto... modes>
ALWI void eq_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kEqual, idst0, idst1, odst);
}
template <auto... modes>
ALWI void eq_binary_tile(uint32_t idst0, uint32_t idst1) {
  eq_binary_tile(idst0, idst1, idst0);
}

ALWI void ne_binary_tile_init() {}
template <auto... modes>
ALWI void ne_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kNotEqual, idst0, idst1, odst);
}
template <auto... modes>
ALWI void ne_binary_tile(uint32_t idst0, uint32_t idst1) {
  ne_binary_tile(idst0, idst1, idst0);
}

ALWI void lt_binary_tile_init() {}
template <auto... modes>
ALWI void lt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kLess, idst0, idst1, odst);
}
template <auto... modes>
ALWI void lt_binary_tile(uint32_t idst0, uint32_t idst1) {
  lt_binary_tile(idst0, idst1, idst0);
}

ALWI void le_binary_tile_init() {}
template <auto... modes>
ALWI void le_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kLessEqual, idst0, idst1, odst);
}
template <auto... modes>
ALWI void le_binary_tile(uint32_t idst0, uint32_t idst1) {
  le_binary_tile(idst0, idst1, idst0);
}

ALWI void gt_binary_tile_init() {}
template <auto... modes>
ALWI void gt_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kGreater, idst0, idst1, odst);
}
template <auto... modes>
ALWI void gt_binary_tile(uint32_t idst0, uint32_t idst1) {
  gt_binary_tile(idst0, idst1, idst0);
}

ALWI void ge_binary_tile_init() {}
template <auto... modes>
ALWI void ge_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kGreaterEqual, idst0, idst1,
                                  odst);
}
template <auto... modes>
ALWI void ge_binary_tile(uint32_t idst0, uint32_t idst1) {
  ge_binary_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
