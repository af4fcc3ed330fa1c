#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Whole numbers in two's complement, which wrap at their width. With two operands, the result is in
// the first.
namespace ckernel {

template <auto... formats>
ALWI void mul_int_tile_init() {}
ALWI void mul_int32_tile_init() {}
template <auto... modes>
ALWI void mul_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMul, idst0, idst1, odst);
}
template <auto... modes>
ALWI void mul_int32_tile(uint32_t idst0, uint32_t idst1) {
  mul_int32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void mul_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMul, idst0, idst1, odst);
}
template <auto... modes>
ALWI void mul_uint32_tile(uint32_t idst0, uint32_t idst1) {
  mul_uint32_tile(idst0, idst1, idst0);
}
template <auto... modes>
ALWI void mul_uint16_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMul, idst0, idst1, odst,
                                    0xffff);
}
template <auto... modes>
ALWI void mul_uint16_tile(uint32_t idst0, uint32_t idst1) {
  mul_uint16_tile(idst0, idst1, idst0);
}
template <DataFormat data_format>
ALWI void mul_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  static_assert(lightmetal::kernel::is_integer(data_format), "mul_int_tile takes whole numbers");
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMul, idst0, idst1, odst,
                                    lightmetal::kernel::integer_mask(data_format));
}

}  // namespace ckernel
