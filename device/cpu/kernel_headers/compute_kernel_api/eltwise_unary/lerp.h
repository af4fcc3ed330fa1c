#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x0 + x2 (x1 - x0).
namespace ckernel {

ALWI void lerp_tile_init() {}
template <auto... formats>
ALWI void lerp_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
  lightmetal::kernel::sfpu().ternary(lightmetal::kernel::context(),
                                     lightmetal::kernel::SfpuTernaryOp::kInterpolate, idst0, idst1,
                                     idst2, odst, 0);
}

}  // namespace ckernel
