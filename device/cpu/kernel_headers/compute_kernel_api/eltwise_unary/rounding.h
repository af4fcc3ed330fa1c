#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// round_tile: to a number of decimals, ties to even.
namespace ckernel {

ALWI void rounding_op_tile_init() {}
ALWI void floor_tile_init() {}
ALWI void floor_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kFloor, idst);
}
ALWI void floor_tile_float32(uint32_t idst) { floor_tile(idst); }

ALWI void ceil_tile_init() {}
ALWI void ceil_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kCeil, idst);
}
ALWI void ceil_tile_float32(uint32_t idst) { ceil_tile(idst); }

ALWI void trunc_tile_init() {}
ALWI void trunc_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kTrunc, idst);
}
ALWI void trunc_tile_float32(uint32_t idst) { trunc_tile(idst); }

ALWI void frac_tile_init() {}
ALWI void frac_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kFrac, idst);
}
ALWI void frac_tile_float32(uint32_t idst) { frac_tile(idst); }

ALWI void round_tile_init() {}
ALWI void round_tile(uint32_t idst, int32_t decimals) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRound, idst,
                                 static_cast<uint32_t>(decimals));
}

}  // namespace ckernel
