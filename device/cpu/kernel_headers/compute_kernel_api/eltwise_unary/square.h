#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void square_tile_init() {}
ALWI void square_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kSquare, idst);
}

}  // namespace ckernel
