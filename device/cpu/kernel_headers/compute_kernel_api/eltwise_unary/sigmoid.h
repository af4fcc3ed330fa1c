#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void sigmoid_tile_init() {}
ALWI void sigmoid_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kSigmoid, idst);
}

}  // namespace ckernel
