#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void sin_tile_init() {}
template <auto... modes>
ALWI void sin_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSin, idst);
}

template <auto... modes>
ALWI void cos_tile_init() {}
template <auto... modes>
ALWI void cos_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kCos, idst);
}

template <auto... modes>
ALWI void tan_tile_init() {}
template <auto... modes>
ALWI void tan_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kTan, idst);
}

template <auto... modes>
ALWI void asin_tile_init() {}
template <auto... modes>
ALWI void asin_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAsin, idst);
}

template <auto... modes>
ALWI void acos_tile_init() {}
template <auto... modes>
ALWI void acos_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAcos, idst);
}

template <auto... modes>
ALWI void atan_tile_init() {}
template <auto... modes>
ALWI void atan_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAtan, idst);
}

template <auto... modes>
ALWI void sinh_tile_init() {}
template <auto... modes>
ALWI void sinh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSinh, idst);
}

template <auto... modes>
ALWI void cosh_tile_init() {}
template <auto... modes>
ALWI void cosh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kCosh, idst);
}

template <auto... modes>
ALWI void asinh_tile_init() {}
template <auto... modes>
ALWI void asinh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAsinh, idst);
}

template <auto... modes>
ALWI void acosh_tile_init() {}
template <auto... modes>
ALWI void acosh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAcosh, idst);
}

template <auto... modes>
ALWI void atanh_tile_init() {}
template <auto... modes>
ALWI void atanh_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAtanh, idst);
}

}  // namespace ckernel
