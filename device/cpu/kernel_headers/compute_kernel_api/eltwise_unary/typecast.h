#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Between Float32, Float16, Float16_b, Bfp8_b, Bfp4_b, Int32, UInt32, UInt16, UInt8 and Int8, whose
// circular buffers are of UInt8. To whole numbers towards zero, saturated, 0 for NaN; between them
// by their low bits; to floats the nearest.
namespace ckernel {

template <auto... formats>
ALWI void typecast_tile_init() {}
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, auto... modes>
ALWI void typecast_tile(uint32_t idst) {
  lightmetal::kernel::sfpu().typecast(lightmetal::kernel::context(), idst, IN_DTYPE, OUT_DTYPE);
}

}  // namespace ckernel
