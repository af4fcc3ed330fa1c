#pragma once

#include "compute_kernel_api/common_globals.h"
#include "compute_kernel_api/eltwise_binary.h"

// Sum, difference and product of a tile and a part of a second one: its first column (COL), a row
// (ROW, the first unless bcast_row_idx says another), its first element (SCALAR).

namespace lightmetal::kernel {

FORCE_INLINE void binary_tiles_broadcast(BinaryOp op, Broadcast broadcast, uint32_t cb_a,
                                         uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                                         uint32_t dst, uint32_t row = 0) {
  tiles().binary_tiles_broadcast(context(), op, broadcast, cb_a, cb_b, tile_a, tile_b, dst, row);
}

}  // namespace lightmetal::kernel

namespace ckernel {

// ---- One operand ----

template <BroadcastType bcast_type>
ALWI void unary_bcast_init(uint32_t icb, uint32_t ocb, auto... /*line*/) {}
// As of 2026.
template <BroadcastType bcast_type, auto... modes>
ALWI void unary_bcast_init(uint32_t icb) {}

template <BroadcastType bcast_type, auto... modes>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index) {
  lightmetal::kernel::tiles().copy_tile_broadcast(
      lightmetal::kernel::context(), static_cast<lightmetal::kernel::Broadcast>(bcast_type), icb,
      in_tile_index, dst_tile_index);
}

template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t icb) {}

template <BroadcastType old_bcast_type, BroadcastType new_bcast_type>
ALWI void reconfigure_unary_bcast(uint32_t old_icb, uint32_t new_icb, uint32_t old_ocb,
                                  uint32_t new_ocb) {}

// ---- Two operands ----

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void init_bcast(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16, auto... /*line*/) {
  [[maybe_unused]] constexpr auto kOp = lightmetal::kernel::binary_op<tBcastOp>();
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, auto... modes>
ALWI void any_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                          uint32_t idst, uint32_t bcast_row_idx = 0) {
  lightmetal::kernel::binary_tiles_broadcast(lightmetal::kernel::binary_op<tBcastOp>(),
                                             static_cast<lightmetal::kernel::Broadcast>(tBcastDim),
                                             icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

template <BroadcastType tBcastDim, auto... modes>
ALWI void add_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                          uint32_t idst, uint32_t bcast_row_idx = 0) {
  any_tiles_bcast<ELWADD, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <BroadcastType tBcastDim, auto... modes>
ALWI void sub_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                          uint32_t idst, uint32_t bcast_row_idx = 0) {
  any_tiles_bcast<ELWSUB, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <BroadcastType tBcastDim, auto... modes>
ALWI void mul_tiles_bcast(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                          uint32_t idst, uint32_t bcast_row_idx = 0) {
  any_tiles_bcast<ELWMUL, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}

template <auto... modes>
ALWI void add_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst, uint32_t bcast_row_idx = 0) {
  add_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <auto... modes>
ALWI void add_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst) {
  add_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}
template <auto... modes>
ALWI void add_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                                 uint32_t idst) {
  add_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}
template <auto... modes>
ALWI void sub_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst, uint32_t bcast_row_idx = 0) {
  sub_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <auto... modes>
ALWI void sub_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst) {
  sub_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}
template <auto... modes>
ALWI void sub_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                                 uint32_t idst) {
  sub_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}
template <auto... modes>
ALWI void mul_tiles_bcast_rows(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst, uint32_t bcast_row_idx = 0) {
  mul_tiles_bcast<BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx);
}
template <auto... modes>
ALWI void mul_tiles_bcast_cols(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                               uint32_t idst) {
  mul_tiles_bcast<BroadcastType::COL>(icb0, icb1, itile0, itile1, idst);
}
template <auto... modes>
ALWI void mul_tiles_bcast_scalar(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1,
                                 uint32_t idst) {
  mul_tiles_bcast<BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst);
}

ALWI void add_bcast_rows_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void add_bcast_cols_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void add_bcast_scalar_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void sub_bcast_rows_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void sub_bcast_cols_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void sub_tiles_bcast_scalar_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1,
                                            auto... /*line*/) {}
ALWI void mul_bcast_rows_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void mul_bcast_cols_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1, auto... /*line*/) {}
ALWI void mul_tiles_bcast_scalar_init_short(uint32_t icb0 = 0, uint32_t icb1 = 1,
                                            auto... /*line*/) {}

// ---- As of 2026 ----

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {
  [[maybe_unused]] constexpr auto kOp = lightmetal::kernel::binary_op<tBcastOp>();
}
ALWI void add_bcast_rows_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void add_bcast_cols_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void add_bcast_scalar_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void sub_bcast_rows_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void sub_bcast_cols_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void sub_bcast_scalar_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void mul_bcast_rows_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void mul_bcast_cols_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}
ALWI void mul_bcast_scalar_init(uint32_t icb0, uint32_t icb1, auto... /*line*/) {}

}  // namespace ckernel
