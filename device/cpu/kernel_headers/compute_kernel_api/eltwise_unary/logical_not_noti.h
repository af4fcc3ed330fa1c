#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// 1 where x is 0, else 0.
namespace ckernel {

ALWI void logical_not_unary_tile_init() {}
ALWI void logical_not_unary_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kEqual, idst, 0);
}
ALWI void logical_not_unary_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}
ALWI void logical_not_unary_tile_uint16(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}
ALWI void logical_not_unary_tile_uint32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kEqual, idst, 0);
}

}  // namespace ckernel
