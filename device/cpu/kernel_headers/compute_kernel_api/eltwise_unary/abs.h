#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void abs_tile_init() {}
ALWI void abs_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kAbs, idst);
}

}  // namespace ckernel
