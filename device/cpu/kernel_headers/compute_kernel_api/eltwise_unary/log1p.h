#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void log1p_tile_init() {}
template <auto... modes>
ALWI void log1p_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLog1p, idst);
}

}  // namespace ckernel
