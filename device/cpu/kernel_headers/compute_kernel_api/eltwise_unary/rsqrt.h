#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

// The approximating variant gives exact results too.
template <bool fast_and_approx = true>
ALWI void rsqrt_tile_init() {}
template <bool fast_and_approx = true>
ALWI void rsqrt_tile(uint32_t idst) {
  lightmetal::kernel::unary_tile(lightmetal::kernel::UnaryOp::kRsqrt, idst);
}

}  // namespace ckernel
