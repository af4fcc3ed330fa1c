#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x0 log(x1); 0 where x0 is, unless x1 is NaN. With two operands, the result is in the first.
namespace ckernel {

ALWI void xlogy_binary_tile_init() {}
template <auto... modes>
ALWI void xlogy_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_binary(lightmetal::kernel::SfpuBinaryOp::kXLogY, idst0, idst1, odst);
}
template <auto... modes>
ALWI void xlogy_binary_tile(uint32_t idst0, uint32_t idst1) {
  xlogy_binary_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
