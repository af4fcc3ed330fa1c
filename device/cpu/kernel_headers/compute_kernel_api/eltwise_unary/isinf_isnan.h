#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// 1 or 0.
namespace ckernel {

template <auto... modes>
ALWI void isinf_tile_init() {}
template <auto... modes>
ALWI void isinf_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kIsInfinite, idst);
}

template <auto... modes>
ALWI void isnan_tile_init() {}
template <auto... modes>
ALWI void isnan_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kIsNan, idst);
}

template <auto... modes>
ALWI void isfinite_tile_init() {}
template <auto... modes>
ALWI void isfinite_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kIsFinite, idst);
}

template <auto... modes>
ALWI void isposinf_tile_init() {}
template <auto... modes>
ALWI void isposinf_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kEqual, idst, 0x7f800000);
}

template <auto... modes>
ALWI void isneginf_tile_init() {}
template <auto... modes>
ALWI void isneginf_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kEqual, idst, 0xff800000);
}

}  // namespace ckernel
