#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

// As of 2025: once, before any other initialiser.
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
  lightmetal::kernel::accumulate_to_dst = false;
  lightmetal::kernel::copy_transposes = false;
}
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) {
  compute_kernel_hw_startup(icb0, icb0, ocb);
}

}  // namespace ckernel
