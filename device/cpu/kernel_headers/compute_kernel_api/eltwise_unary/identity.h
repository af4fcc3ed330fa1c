#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

ALWI void identity_tile_init() {}
ALWI void identity_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kIdentity, idst);
}
ALWI void identity_tile_uint32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kIdentity, idst);
}

}  // namespace ckernel
