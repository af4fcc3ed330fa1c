#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// 1 / x.
namespace ckernel {

template <auto... modes>
ALWI void recip_tile_init() {}
template <auto... modes>
ALWI void recip_tile(uint32_t idst, int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRecip, idst, 0, 0, 0,
                                 lightmetal::kernel::vectors_of(vector_mode));
}

}  // namespace ckernel
