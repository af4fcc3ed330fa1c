#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// 1 - tanh²(x).
namespace ckernel {

template <auto... modes>
ALWI void tanh_derivative_tile_init() {}
template <auto... modes>
ALWI void tanh_derivative_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kTanhDerivative, idst);
}

}  // namespace ckernel
