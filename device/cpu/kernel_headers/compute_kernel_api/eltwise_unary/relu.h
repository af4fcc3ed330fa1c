#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Bounds and slopes are floats' bits, or whole numbers for the forms of int32.
namespace ckernel {

ALWI void relu_tile_init() {}
ALWI void relu_tile(uint32_t idst) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kRelu, idst);
}
ALWI void relu_tile_int32(uint32_t idst) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kMaximum, idst, 0);
}

ALWI void relu_max_tile_init() {}
ALWI void relu_max_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kReluMax, idst, param0);
}
ALWI void relu_max_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kMinimum, idst, param0);
  relu_tile_int32(idst);
}

ALWI void relu_min_tile_init() {}
ALWI void relu_min_tile(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kReluMin, idst, param0);
}
ALWI void relu_min_tile_int32(uint32_t idst, uint32_t param0) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kMaximum, idst, param0);
  relu_tile_int32(idst);
}

ALWI void leaky_relu_tile_init() {}
ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kLeakyRelu, idst, slope);
}

}  // namespace ckernel
