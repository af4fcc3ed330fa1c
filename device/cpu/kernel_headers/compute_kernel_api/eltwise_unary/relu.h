#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void relu_tile_init() {}
ALWI void relu_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kRelu, idst);
}

}  // namespace ckernel
