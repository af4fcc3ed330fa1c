#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void recip_tile_init() {}
ALWI void recip_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kRecip, idst);
}

}  // namespace ckernel
