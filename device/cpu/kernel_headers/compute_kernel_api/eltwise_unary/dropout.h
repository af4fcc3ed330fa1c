#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace lightmetal::kernel {

inline uint64_t dropout_state = 0;

}  // namespace lightmetal::kernel

// Each element becomes zero with the probability `probability` / INT_MAX, and else is scaled. The
// numbers depend on the seed only, so a core's results are the same in every run.
namespace ckernel {

ALWI void dropout_kernel_init(uint32_t seed = 0) { lightmetal::kernel::dropout_state = seed; }
ALWI void dropout_tile_init(uint32_t seed = 0) { dropout_kernel_init(seed); }
ALWI void dropout_tile(uint32_t idst, uint32_t probability, uint32_t scale_factor) {
  lightmetal::kernel::sfpu().dropout(lightmetal::kernel::context(), idst,
                                     &lightmetal::kernel::dropout_state, probability, scale_factor);
}

}  // namespace ckernel
