#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/sfpu.h"

// Sum, difference and product of a tile of DST, which takes the result, and the first column or row
// of another one, as of 2026; and (x - mean) / deviation, whose mean and reciprocal deviation are
// such columns or, of each, the first element.
namespace lightmetal::kernel {

// The element of the second tile that meets an element of the first.
FORCE_INLINE uint32_t broadcast_place(ckernel::BroadcastType type, uint32_t row, uint32_t column) {
  if (type == ckernel::BroadcastType::COL) return place_in_tile(row, 0);
  if (type == ckernel::BroadcastType::ROW) return place_in_tile(0, column);
  return type == ckernel::BroadcastType::SCALAR ? 0 : place_in_tile(row, column);
}

// x = function(x, y) with y of the second tile.
template <ckernel::BroadcastType kType, typename Function>
FORCE_INLINE void with_broadcast(uint32_t data, uint32_t part, Function function) {
  auto* x = static_cast<float*>(dst_operand(data, false));
  float y[1024];
  __builtin_memcpy(y, dst_operand(part, false), sizeof(y));
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      float& value = x[place_in_tile(row, column)];
      value = function(value, y[broadcast_place(kType, row, column)]);
    }
  }
}
FORCE_INLINE float sum_of(float a, float b) { return a + b; }
FORCE_INLINE float difference_of(float a, float b) { return a - b; }
FORCE_INLINE float product_of(float a, float b) { return a * b; }

}  // namespace lightmetal::kernel

namespace ckernel {

template <BroadcastType Dim>
ALWI void sfpu_bcast_init() {}
template <BroadcastType Dim, EltwiseBinaryType Op, auto... modes>
ALWI void sfpu_bcast(uint32_t dst_data_idx, uint32_t dst_bcast_idx) {
  using namespace lightmetal::kernel;
  constexpr auto kOp = binary_op<Op>();
  with_broadcast<Dim>(dst_data_idx, dst_bcast_idx,
                      kOp == BinaryOp::kAdd   ? sum_of
                      : kOp == BinaryOp::kSub ? difference_of
                                              : product_of);
}

ALWI void sfpu_bcast_col_init() {}
ALWI void sfpu_sub_bcast_col_init() {}
template <auto... modes>
ALWI void sfpu_sub_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
  sfpu_bcast<BroadcastType::COL, ELWSUB>(dst_data_idx, dst_col_vec_idx);
}
ALWI void sfpu_add_bcast_col_init() {}
template <auto... modes>
ALWI void sfpu_add_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
  sfpu_bcast<BroadcastType::COL, ELWADD>(dst_data_idx, dst_col_vec_idx);
}
ALWI void sfpu_mul_bcast_col_init() {}
template <auto... modes>
ALWI void sfpu_mul_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx) {
  sfpu_bcast<BroadcastType::COL, ELWMUL>(dst_data_idx, dst_col_vec_idx);
}
ALWI void sfpu_bcast_row_init() {}
ALWI void sfpu_sub_bcast_row_init() {}
template <auto... modes>
ALWI void sfpu_sub_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
  sfpu_bcast<BroadcastType::ROW, ELWSUB>(dst_data_idx, dst_row_vec_idx);
}
ALWI void sfpu_add_bcast_row_init() {}
template <auto... modes>
ALWI void sfpu_add_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
  sfpu_bcast<BroadcastType::ROW, ELWADD>(dst_data_idx, dst_row_vec_idx);
}
ALWI void sfpu_mul_bcast_row_init() {}
template <auto... modes>
ALWI void sfpu_mul_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx) {
  sfpu_bcast<BroadcastType::ROW, ELWMUL>(dst_data_idx, dst_row_vec_idx);
}

ALWI void sfpu_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_mean_col_idx,
                                   uint32_t dst_inv_std_col_idx) {
  sfpu_sub_bcast_col(dst_data_idx, dst_mean_col_idx);
  sfpu_mul_bcast_col(dst_data_idx, dst_inv_std_col_idx);
}
ALWI void sfpu_normalize_bcast_col_two_tiles(uint32_t dst_data_idx, uint32_t dst_second_data_idx,
                                             uint32_t dst_mean_col_idx,
                                             uint32_t dst_inv_std_col_idx) {
  sfpu_normalize_bcast_col(dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx);
  sfpu_normalize_bcast_col(dst_second_data_idx, dst_mean_col_idx, dst_inv_std_col_idx);
}
// The same of the sum of two tiles.
ALWI void sfpu_residual_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_residual_idx,
                                            uint32_t dst_mean_col_idx,
                                            uint32_t dst_inv_std_col_idx) {
  sfpu_bcast<BroadcastType::NONE, ELWADD>(dst_data_idx, dst_residual_idx);
  sfpu_normalize_bcast_col(dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx);
}
ALWI void sfpu_normalize_bcast_scalar_init() {}
ALWI void sfpu_normalize_bcast_scalar(uint32_t dst_data_idx, uint32_t dst_mean_scalar_idx,
                                      uint32_t dst_inv_std_scalar_idx) {
  sfpu_bcast<BroadcastType::SCALAR, ELWSUB>(dst_data_idx, dst_mean_scalar_idx);
  sfpu_bcast<BroadcastType::SCALAR, ELWMUL>(dst_data_idx, dst_inv_std_scalar_idx);
}

}  // namespace ckernel
