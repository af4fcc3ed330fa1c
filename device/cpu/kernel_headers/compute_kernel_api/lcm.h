#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The least common multiple of whole numbers, which wraps. With two operands, the result is in the
// first.
namespace ckernel {

ALWI void lcm_tile_init() {}
template <auto... modes>
ALWI void lcm_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kLcm, idst0, idst1, odst);
}
template <auto... modes>
ALWI void lcm_tile(uint32_t idst0, uint32_t idst1) {
  lcm_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
