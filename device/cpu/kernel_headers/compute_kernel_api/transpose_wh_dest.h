#pragma once

#include "compute_kernel_api/common_globals.h"

namespace ckernel {

template <bool is_32bit = false>
ALWI void transpose_wh_dest_init_short() {}

// A tile of DST, in place.
template <bool is_32bit = false>
ALWI void transpose_wh_dest(uint32_t idst) {
  lightmetal::kernel::tiles().transpose_dst(lightmetal::kernel::context(), idst);
}

}  // namespace ckernel
