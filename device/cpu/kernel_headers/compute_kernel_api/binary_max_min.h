#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The greater or smaller of two tiles of DST; NaN where one of them is. With two operands, the
// result is in the first.
namespace ckernel {

ALWI void binary_max_tile_init() {}
ALWI void binary_max_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                          int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kMaximum, idst0, idst1, odst,
                                  lightmetal::kernel::vectors_of(vector_mode));
}
ALWI void binary_max_tile(uint32_t idst0, uint32_t idst1) { binary_max_tile(idst0, idst1, idst0); }
ALWI void binary_max_int32_tile_init() {}
template <auto... modes>
ALWI void binary_max_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMaximum, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_max_int32_tile(uint32_t idst0, uint32_t idst1) {
  binary_max_int32_tile(idst0, idst1, idst0);
}
ALWI void binary_max_uint32_tile_init() {}
template <auto... modes>
ALWI void binary_max_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedMaximum, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_max_uint32_tile(uint32_t idst0, uint32_t idst1) {
  binary_max_uint32_tile(idst0, idst1, idst0);
}

ALWI void binary_min_tile_init() {}
ALWI void binary_min_tile(uint32_t idst0, uint32_t idst1, uint32_t odst,
                          int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kMinimum, idst0, idst1, odst,
                                  lightmetal::kernel::vectors_of(vector_mode));
}
ALWI void binary_min_tile(uint32_t idst0, uint32_t idst1) { binary_min_tile(idst0, idst1, idst0); }
ALWI void binary_min_int32_tile_init() {}
template <auto... modes>
ALWI void binary_min_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kMinimum, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void binary_min_int32_tile(uint32_t idst0, uint32_t idst1) {
  binary_min_int32_tile(idst0, idst1, idst0);
}
ALWI void binary_min_uint32_tile_init() {}
template <auto... modes>
ALWI void binary_min_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kUnsignedMinimum, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void binary_min_uint32_tile(uint32_t idst0, uint32_t idst1) {
  binary_min_uint32_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
