#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// log(1 + e^(beta x)) / beta; x itself where beta x is above the threshold.
namespace ckernel {

template <auto... modes>
ALWI void softplus_tile_init() {}
template <auto... modes>
ALWI void softplus_tile(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal,
                        uint32_t threshold) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSoftPlus, idst, beta,
                                 beta_reciprocal, threshold);
}

}  // namespace ckernel
