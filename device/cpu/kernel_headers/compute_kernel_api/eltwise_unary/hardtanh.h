#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void hardtanh_tile_init() {}
template <auto... modes>
ALWI void hardtanh_tile(uint32_t idst, uint32_t param0, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kClamp, idst, param0, param1);
}

}  // namespace ckernel
