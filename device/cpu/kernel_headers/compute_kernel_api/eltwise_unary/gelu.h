#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x times the normal distribution's cumulative function. The approximating variants give it too.
namespace ckernel {

template <auto... modes>
ALWI void gelu_tile_init() {}
template <auto... modes>
ALWI void gelu_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGelu, idst);
}

template <auto... modes>
ALWI void gelu_derivative_tile_init() {}
template <auto... modes>
ALWI void gelu_derivative_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kGeluDerivative, idst);
}

}  // namespace ckernel
