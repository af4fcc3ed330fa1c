#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

// Copies do not transpose from here on.
ALWI void unary_op_init_common_no_pack(uint32_t icb) {}
ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb = 16, auto... /*line*/) {
  lightmetal::kernel::copy_transposes = false;
}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb = 16, auto... /*line*/) {
  unary_op_init_common(icb, ocb);
}

}  // namespace ckernel
