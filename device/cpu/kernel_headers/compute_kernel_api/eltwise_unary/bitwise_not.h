#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Of whole numbers.
namespace ckernel {

ALWI void bitwise_not_tile_init() {}
ALWI void bitwise_not_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNot, idst);
}

}  // namespace ckernel
