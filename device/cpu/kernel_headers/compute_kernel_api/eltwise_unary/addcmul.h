#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x0 + value x1 x2, with the bits of the float `value`.
namespace ckernel {

ALWI void addcmul_tile_init() {}
template <auto... formats>
ALWI void addcmul_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst,
                       uint32_t value) {
  lightmetal::kernel::sfpu().ternary(lightmetal::kernel::context(),
                                     lightmetal::kernel::SfpuTernaryOp::kAddProduct, idst0, idst1,
                                     idst2, odst, value);
}

}  // namespace ckernel
