#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace lightmetal::kernel {

inline uint32_t remainder_divisor = 0;  // set by the initialiser; a float's bits

}  // namespace lightmetal::kernel

// The remainder of x over param0 with the sign of param0. param1, the reciprocal, is not needed.
namespace ckernel {

ALWI void remainder_tile_init(uint32_t param0 = 0, uint32_t param1 = 0) {
  lightmetal::kernel::remainder_divisor = param0;
}
// As of 2026: over what the initialiser was given.
ALWI void remainder_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRemainder, idst,
                                 lightmetal::kernel::remainder_divisor);
}
ALWI void remainder_tile(uint32_t idst, uint32_t param0, uint32_t param1 = 0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRemainder, idst, param0);
}

}  // namespace ckernel
