#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void log_tile_init() {}
ALWI void log_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kLog, idst);
}

}  // namespace ckernel
