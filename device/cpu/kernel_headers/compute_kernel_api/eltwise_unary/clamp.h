#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

ALWI void clamp_tile_init() {}
ALWI void clamp_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kClamp, idst, param0, param1);
}
ALWI void clamp_tile_int32(uint32_t idst, uint32_t param0, uint32_t param1) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kClamp, idst, param0,
                                    param1);
}

}  // namespace ckernel
