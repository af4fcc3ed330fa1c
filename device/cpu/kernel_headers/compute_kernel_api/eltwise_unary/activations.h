#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void hardsigmoid_tile_init() {}
template <auto... modes>
ALWI void hardsigmoid_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kHardSigmoid, idst);
}

template <auto... modes>
ALWI void softsign_tile_init() {}
template <auto... modes>
ALWI void softsign_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSoftSign, idst);
}

template <auto... modes>
ALWI void celu_tile_init() {}
template <auto... modes>
ALWI void celu_tile(uint32_t idst, uint32_t alpha, uint32_t alpha_recip) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kCelu, idst, alpha, alpha_recip);
}

template <auto... modes>
ALWI void softshrink_tile_init() {}
template <auto... modes>
ALWI void softshrink_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSoftShrink, idst, param0);
}

template <auto... modes>
ALWI void hardshrink_tile_init() {}
template <auto... modes>
ALWI void hardshrink_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kHardShrink, idst, param0);
}

}  // namespace ckernel
