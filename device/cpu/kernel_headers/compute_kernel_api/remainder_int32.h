#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The remainder of whole numbers, with the sign of the divisor. By zero: a quotient is -1, a
// remainder the dividend. With two operands, the result is in the first.
namespace ckernel {

ALWI void remainder_int32_tile_init() {}
template <auto... modes>
ALWI void remainder_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kFloorRemainder, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void remainder_int32_tile(uint32_t idst0, uint32_t idst1) {
  remainder_int32_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
