#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void negative_tile_init() {}
template <auto... modes>
ALWI void negative_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kNegative, idst);
}
ALWI void negative_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kNegative, idst);
}

}  // namespace ckernel
