#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x0 shifted by x1 bits, whole numbers; by amounts outside 0 to 31: 0. With two operands, the
// result is in the first.
namespace ckernel {

ALWI void binary_shift_tile_init() {}

template <auto... modes>
ALWI void binary_left_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLeftShift, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_left_shift_tile(uint32_t idst0, uint32_t idst1) {
  binary_left_shift_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_left_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLeftShift, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_left_shift_int32_tile(uint32_t idst0, uint32_t idst1) {
  binary_left_shift_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_left_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLeftShift, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_left_shift_uint32_tile(uint32_t idst0, uint32_t idst1) {
  binary_left_shift_uint32_tile(idst0, idst1, idst0);
}

template <auto... modes>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kRightShift, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_right_shift_tile(uint32_t idst0, uint32_t idst1) {
  binary_right_shift_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_right_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kRightShift, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_right_shift_int32_tile(uint32_t idst0, uint32_t idst1) {
  binary_right_shift_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLogicalRightShift, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1) {
  binary_right_shift_uint32_tile(idst0, idst1, idst0);
}

template <auto... modes>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLogicalRightShift, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_logical_right_shift_tile(uint32_t idst0, uint32_t idst1) {
  binary_logical_right_shift_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_logical_right_shift_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLogicalRightShift, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_logical_right_shift_int32_tile(uint32_t idst0, uint32_t idst1) {
  binary_logical_right_shift_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void binary_logical_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLogicalRightShift, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_logical_right_shift_uint32_tile(uint32_t idst0, uint32_t idst1) {
  binary_logical_right_shift_uint32_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
