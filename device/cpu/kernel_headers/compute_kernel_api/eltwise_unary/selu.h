#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void selu_tile_init() {}
template <auto... modes>
ALWI void selu_tile(uint32_t idst, uint32_t scale, uint32_t alpha) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSelu, idst, scale, alpha);
}

}  // namespace ckernel
