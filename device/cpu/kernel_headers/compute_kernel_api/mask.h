#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Where the mask is zero, the data become zero, or +infinity. The tiles say what they hold.
namespace ckernel {

ALWI void mask_tile_init() {}
ALWI void mask_tile(uint32_t idst_data, uint32_t idst2_mask,
                    DataFormat data_format = DataFormat::Float16_b) {
  lightmetal::kernel::sfpu().mask(lightmetal::kernel::context(), idst_data, idst2_mask, 0);
}
ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask) {
  lightmetal::kernel::sfpu().mask(lightmetal::kernel::context(), idst_data, idst2_mask, 0x7f800000);
}

}  // namespace ckernel
