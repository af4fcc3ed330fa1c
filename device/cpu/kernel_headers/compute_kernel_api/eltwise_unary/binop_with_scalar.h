#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Arithmetic with a scalar: a float's bits or, for whole numbers, the number.
namespace ckernel {

enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

ALWI void binop_with_scalar_tile_init() {}
ALWI void add_unary_tile(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kAddScalar, idst, param1);
}
ALWI void sub_unary_tile(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kSubScalar, idst, param1);
}
ALWI void mul_unary_tile(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kMulScalar, idst, param1);
}
// As the kernel API has it, the scalar is the divisor's reciprocal.
ALWI void div_unary_tile(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kMulScalar, idst, param1);
}
ALWI void rsub_unary_tile(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_unary(lightmetal::kernel::UnaryOp::kReverseSub, idst, param1);
}
ALWI void add_unary_tile_int32(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kAddScalar, idst, param1);
}
ALWI void sub_unary_tile_int32(uint32_t idst, uint32_t param1) {
  lightmetal::kernel::sfpu_integers(lightmetal::kernel::IntegerUnaryOp::kSubScalar, idst, param1);
}

}  // namespace ckernel
