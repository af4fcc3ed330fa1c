#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// x1 where x0 is not zero, else x2. Floats and whole numbers alike: the tiles say what they hold.
namespace ckernel {

ALWI void where_tile_init() {}
template <auto... formats>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
  lightmetal::kernel::sfpu().where(lightmetal::kernel::context(), idst0, idst1, idst2, odst);
}
// As of summer 2025: the result is in the first tile.
template <auto... formats>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2) {
  where_tile(idst0, idst1, idst2, idst0);
}
ALWI void where_fp32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
  where_tile(idst0, idst1, idst2, odst);
}
ALWI void where_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
  where_tile(idst0, idst1, idst2, odst);
}
ALWI void where_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst) {
  where_tile(idst0, idst1, idst2, odst);
}
ALWI void where_fp32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2) {
  where_tile(idst0, idst1, idst2);
}
ALWI void where_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2) {
  where_tile(idst0, idst1, idst2);
}

}  // namespace ckernel
