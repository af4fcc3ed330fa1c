#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Of whole numbers.
namespace ckernel {

ALWI void bitwise_xor_tile_init() {}
ALWI void bitwise_xor_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kXor, idst, param0);
}

}  // namespace ckernel
