#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The greatest common divisor of whole numbers. With two operands, the result is in the first.
namespace ckernel {

ALWI void gcd_tile_init() {}
template <auto... modes>
ALWI void gcd_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kGcd, idst0, idst1, odst);
}
template <auto... modes>
ALWI void gcd_tile(uint32_t idst0, uint32_t idst1) {
  gcd_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
