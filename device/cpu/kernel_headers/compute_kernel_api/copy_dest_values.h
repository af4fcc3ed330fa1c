#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

namespace ckernel {

ALWI void copy_dest_values_init() {}
// As of 2025: from tile idst1 of DST to tile idst0.
ALWI void copy_dest_values(uint32_t idst0, uint32_t idst1) {
  lightmetal::kernel::sfpu().copy(lightmetal::kernel::context(), idst1, idst0);
}
// With a data format, as of 2026: from the first to the second.
template <DataFormat data_format>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out) {
  lightmetal::kernel::sfpu().copy(lightmetal::kernel::context(), idst_in, idst_out);
}

}  // namespace ckernel
