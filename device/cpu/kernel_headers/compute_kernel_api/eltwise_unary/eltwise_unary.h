#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb = 16) {}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb = 16) {}

}  // namespace ckernel
