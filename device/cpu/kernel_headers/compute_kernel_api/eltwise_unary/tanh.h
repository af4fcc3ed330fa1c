#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void tanh_tile_init() {}
ALWI void tanh_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kTanh, idst);
}

}  // namespace ckernel
