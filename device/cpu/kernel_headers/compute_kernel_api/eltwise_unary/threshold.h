#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Values at and below the threshold param0 become param1.
namespace ckernel {

template <auto... modes>
ALWI void threshold_tile_init() {}
template <auto... modes>
ALWI void threshold_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kThreshold, idst, param0, param1);
}

}  // namespace ckernel
