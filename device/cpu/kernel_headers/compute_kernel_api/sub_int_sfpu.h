#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Whole numbers in two's complement, which wrap at their width. With two operands, the result is in
// the first.
namespace ckernel {

template <auto... formats>
ALWI void sub_int_tile_init() {}
template <auto... modes>
ALWI void sub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kSub, idst0, idst1, odst);
}
template <auto... modes>
ALWI void sub_int32_tile(uint32_t idst0, uint32_t idst1) {
  sub_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void sub_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kSub, idst0, idst1, odst);
}
template <auto... modes>
ALWI void sub_uint32_tile(uint32_t idst0, uint32_t idst1) {
  sub_uint32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void sub_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kSub, idst0, idst1, odst,
                                    0xffff);
}
template <auto... modes>
ALWI void sub_uint16_tile(uint32_t idst0, uint32_t idst1) {
  sub_uint16_tile(idst0, idst1, idst0);
}
template <DataFormat data_format>
ALWI void sub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  static_assert(lightmetal::kernel::is_integer(data_format), "sub_int_tile takes whole numbers");
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kSub, idst0, idst1, odst,
                                    lightmetal::kernel::integer_mask(data_format));
}

template <auto... formats>
ALWI void rsub_int_tile_init() {}
ALWI void rsub_int32_tile_init() {}
template <auto... modes>
ALWI void rsub_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kReverseSub, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void rsub_int32_tile(uint32_t idst0, uint32_t idst1) {
  rsub_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void rsub_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kReverseSub, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void rsub_uint32_tile(uint32_t idst0, uint32_t idst1) {
  rsub_uint32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void rsub_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kReverseSub, idst0, idst1,
                                    odst, 0xffff);
}
template <auto... modes>
ALWI void rsub_uint16_tile(uint32_t idst0, uint32_t idst1) {
  rsub_uint16_tile(idst0, idst1, idst0);
}
template <DataFormat data_format>
ALWI void rsub_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  static_assert(lightmetal::kernel::is_integer(data_format), "rsub_int_tile takes whole numbers");
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kReverseSub, idst0, idst1,
                                    odst, lightmetal::kernel::integer_mask(data_format));
}

}  // namespace ckernel
