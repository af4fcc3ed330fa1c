#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x times (x + 2.8, at least 0 and at most 5) / 5.
namespace ckernel {

template <auto... modes>
ALWI void hardmish_tile_init() {}
template <auto... modes>
ALWI void hardmish_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kHardMish, idst);
}

}  // namespace ckernel
