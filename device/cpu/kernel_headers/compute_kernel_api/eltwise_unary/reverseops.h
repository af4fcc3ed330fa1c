#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// param0 - x.
namespace ckernel {

ALWI void rsub_tile_init() {}
ALWI void rsub_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kReverseSub, idst, param0);
}

}  // namespace ckernel
