#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

template <auto... modes>
ALWI void erf_tile_init() {}
template <auto... modes>
ALWI void erf_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kErf, idst);
}

template <auto... modes>
ALWI void erfc_tile_init() {}
template <auto... modes>
ALWI void erfc_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kErfc, idst);
}

}  // namespace ckernel
