#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// 1 / sqrt(x).
namespace ckernel {

template <auto... modes>
ALWI void rsqrt_tile_init() {}
template <auto... modes>
ALWI void rsqrt_tile(uint32_t idst, int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRsqrt, idst, 0, 0, 0,
                                 lightmetal::kernel::vectors_of(vector_mode));
}

}  // namespace ckernel
