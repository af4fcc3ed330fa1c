#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void prelu_tile_init() {}
template <auto... modes>
ALWI void prelu_tile(uint32_t idst, uint32_t slope) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLeakyRelu, idst, slope);
}

}  // namespace ckernel
