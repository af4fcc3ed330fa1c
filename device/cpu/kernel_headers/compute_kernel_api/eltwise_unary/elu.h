#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void elu_tile_init() {}
template <auto... modes>
ALWI void elu_tile(uint32_t idst, uint32_t slope) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kElu, idst, slope);
}

}  // namespace ckernel
