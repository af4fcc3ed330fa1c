#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Quotients of whole numbers, rounded down or towards zero. By zero: a quotient is -1, a remainder
// the dividend. With two operands, the result is in the first.
namespace ckernel {

ALWI void div_int32_floor_tile_init() {}
template <auto... modes>
ALWI void div_int32_floor_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kFloorQuotient, idst0,
                                    idst1, odst);
}
template <auto... modes>
ALWI void div_int32_floor_tile(uint32_t idst0, uint32_t idst1) {
  div_int32_floor_tile(idst0, idst1, idst0);
}
ALWI void div_int32_trunc_tile_init() {}
template <auto... modes>
ALWI void div_int32_trunc_tile(uint32_t idst0, uint32_t idst1, uint32_t odst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerBinaryOp::kQuotient, idst0, idst1,
                                    odst);
}
template <auto... modes>
ALWI void div_int32_trunc_tile(uint32_t idst0, uint32_t idst1) {
  div_int32_trunc_tile(idst0, idst1, idst0);
}

}  // namespace ckernel
