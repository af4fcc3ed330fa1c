#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// base_val^x.
namespace ckernel {

ALWI void rpow_tile_init() {}
template <auto... modes>
ALWI void rpow_tile(uint32_t idst, uint32_t base_val, int vector_mode = VectorMode::RC) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kReversePower, idst, base_val, 0, 0,
                                 lightmetal::kernel::vectors_of(vector_mode));
}

}  // namespace ckernel
