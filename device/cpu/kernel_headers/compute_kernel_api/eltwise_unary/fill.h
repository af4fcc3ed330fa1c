#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// The same value for the whole tile.
namespace ckernel {

ALWI void fill_tile_init() {}
ALWI void fill_tile_bitcast(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu().fill(lightmetal::kernel::context(), idst, param0, false);
}
ALWI void fill_tile(uint32_t idst, float param0) {
  fill_tile_bitcast(idst, lightmetal::kernel::bits_of(param0));
}
ALWI void fill_tile_int(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu().fill(lightmetal::kernel::context(), idst, param0, true);
}
template <DataFormat data_format>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0) {
  static_assert(lightmetal::kernel::is_integer(data_format), "fill_tile_int fills whole numbers");
  fill_tile_int(idst, param0 & lightmetal::kernel::integer_mask(data_format));
}

}  // namespace ckernel
