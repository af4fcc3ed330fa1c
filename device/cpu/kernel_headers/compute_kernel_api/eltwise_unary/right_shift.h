#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Of whole numbers, which keep their sign; by more than 31 bits: 0.
namespace ckernel {

ALWI void right_shift_tile_init() {}
ALWI void right_shift_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kRightShift, idst, param0);
}

}  // namespace ckernel
