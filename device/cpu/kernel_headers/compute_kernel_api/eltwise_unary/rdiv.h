#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// value / x, rounded to a whole number on request.
namespace ckernel {

ALWI void rdiv_tile_init() {}
template <RoundingMode rounding_mode = RoundingMode::None>
ALWI void rdiv_tile(uint32_t idst, uint32_t value, int vector_mode = VectorMode::RC) {
  using lightmetal::kernel::UnaryOp;
  constexpr UnaryOp kOp = rounding_mode == RoundingMode::Trunc   ? UnaryOp::kReverseDivTrunc
                          : rounding_mode == RoundingMode::Floor ? UnaryOp::kReverseDivFloor
                                                                 : UnaryOp::kReverseDiv;
  lightmetal::kernel::sfpu_unary(kOp, idst, value, 0, 0,
                                 lightmetal::kernel::vectors_of(vector_mode));
}

}  // namespace ckernel
