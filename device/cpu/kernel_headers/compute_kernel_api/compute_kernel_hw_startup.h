#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

// As of 2025: once, before any other initialiser. The order of the sources, as of 2026, is the
// hardware's affair: operands have their names' order everywhere.
template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
  lightmetal::kernel::accumulate_to_dst = false;
  lightmetal::kernel::copy_transposes = false;
}
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb) {
  compute_kernel_hw_startup(icb0, icb0, ocb);
}

// DST has 32 bits in every mode.
ALWI void enable_fp32_dest_acc() {}
ALWI void disable_fp32_dest_acc() {}
template <bool enable>
ALWI void set_fp32_dest_acc() {}
template <bool enable>
ALWI void restore_fp32_dest_acc() {}

}  // namespace ckernel
