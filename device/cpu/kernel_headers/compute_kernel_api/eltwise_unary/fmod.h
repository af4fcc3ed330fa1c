#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace lightmetal::kernel {

inline uint32_t fmod_divisor = 0;  // set by the initialiser; a float's bits

}  // namespace lightmetal::kernel

// The remainder of x over param0 with the sign of x. param1, the reciprocal, is not needed.
namespace ckernel {

ALWI void fmod_tile_init(uint32_t param0 = 0, uint32_t param1 = 0) {
  lightmetal::kernel::fmod_divisor = param0;
}
// As of 2026: over what the initialiser was given.
ALWI void fmod_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kFmod, idst,
                                 lightmetal::kernel::fmod_divisor);
}
ALWI void fmod_tile(uint32_t idst, uint32_t param0, uint32_t param1 = 0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kFmod, idst, param0);
}

}  // namespace ckernel
