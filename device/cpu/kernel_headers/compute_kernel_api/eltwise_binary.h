#pragma once

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"

// Sum, difference and product of two tiles. Each initialiser also says whether the operations after
// it add to DST.
namespace ckernel {

ALWI void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16, auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = false;
}

ALWI void mul_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false,
                         auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void add_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false,
                         auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void sub_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false,
                         auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void mul_tiles_init_f() { mul_tiles_init(); }
ALWI void add_tiles_init_nof() { add_tiles_init(); }
ALWI void sub_tiles_init_nof() { sub_tiles_init(); }

template <auto... modes>
ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kMul, icb0, icb1, itile0, itile1,
                                   idst);
}
template <auto... modes>
ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kAdd, icb0, icb1, itile0, itile1,
                                   idst);
}
template <auto... modes>
ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kSub, icb0, icb1, itile0, itile1,
                                   idst);
}

// ---- As of 2026 ----

ALWI void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
// Adds to DST unless it is told not to, as the hardware's products do. Acquiring makes DST zero.
ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = true, auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}

// Tiles in a row of both circular buffers, to tiles in a row of DST.
template <auto... modes>
ALWI void mul_block(uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1,
                    uint32_t start_idst, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    mul_tiles(icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i);
}
template <auto... modes>
ALWI void add_block(uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1,
                    uint32_t start_idst, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    add_tiles(icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i);
}
template <auto... modes>
ALWI void sub_block(uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1,
                    uint32_t start_idst, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    sub_tiles(icb0, icb1, start_itile0 + i, start_itile1 + i, start_idst + i);
}

// ---- Of either operation ----

template <bool full_init = false, EltwiseBinaryType eltwise_binary_op_type = ELWADD>
ALWI void binary_op_specific_init() {
  [[maybe_unused]] constexpr auto kOp = lightmetal::kernel::binary_op<eltwise_binary_op_type>();
  lightmetal::kernel::accumulate_to_dst = false;
}

// With the circular buffers, as of early 2025.
template <bool full_init = false, EltwiseBinaryType eltwise_binary_op_type = ELWADD>
ALWI void binary_op_specific_init(uint32_t icb0, uint32_t icb1) {
  binary_op_specific_init<full_init, eltwise_binary_op_type>();
}

// As of 2024: 0 is add_tiles, 1 sub_tiles, 2 mul_tiles.
template <bool full_init = false>
ALWI void binary_op_specific_init(int op_code) {
  if (op_code < 0 || op_code > 2)
    lightmetal::kernel::fail("binary_op_specific_init: unknown operation");
  lightmetal::kernel::accumulate_to_dst = false;
}

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
ALWI void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false,
                            auto... /*line*/) {
  binary_op_specific_init<full_init, eltwise_binary_type>();
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}

template <EltwiseBinaryType eltwise_binary_type = ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t icb0 = 0, auto... /*line*/) {
  lightmetal::kernel::accumulate_to_dst = false;
}

// One operand is a tile of DST, the other a tile of a circular buffer; DEST_TO_SRCA makes DST the
// left one.
template <EltwiseBinaryType eltwise_binary_type = ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t in_cb_id, uint32_t in_tile_index,
                                  uint32_t dst_tile_index) {
  static_assert(binary_reuse_dest != EltwiseBinaryReuseDestType::NONE, "say which operand DST is");
  constexpr auto kOp = lightmetal::kernel::binary_op<eltwise_binary_type>();
  auto* context = lightmetal::kernel::context();
  context->services->binary_dest_reuse(
      context, kOp, static_cast<lightmetal::kernel::DestReuse>(binary_reuse_dest), in_cb_id,
      in_tile_index, dst_tile_index);
}

// As of 2026, for one operation each.
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void add_reuse_dest_init(uint32_t icb, auto... /*line*/) {
  binary_dest_reuse_tiles_init<ELWADD, reuse_dest>(icb);
}
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void sub_reuse_dest_init(uint32_t icb, auto... /*line*/) {
  binary_dest_reuse_tiles_init<ELWSUB, reuse_dest>(icb);
}
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void mul_reuse_dest_init(uint32_t icb, auto... /*line*/) {
  binary_dest_reuse_tiles_init<ELWMUL, reuse_dest>(icb);
}
template <EltwiseBinaryReuseDestType reuse_dest, auto... modes>
ALWI void add_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
  binary_dest_reuse_tiles<ELWADD, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}
template <EltwiseBinaryReuseDestType reuse_dest, auto... modes>
ALWI void sub_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
  binary_dest_reuse_tiles<ELWSUB, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}
template <EltwiseBinaryReuseDestType reuse_dest, auto... modes>
ALWI void mul_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
  binary_dest_reuse_tiles<ELWMUL, reuse_dest>(in_cb_id, in_tile_index, dst_tile_index);
}

// ---- What helpers call below the API ----

// Until 2026 the arguments are `transpose` and `acc_to_dest`. Since, the operands stand before
// `acc_to_dest`, and the fidelity is one by name where they stand alone.
template <EltwiseBinaryType eltwise_binary_type, BroadcastType src_b_bcast_type,
          auto MATH_FIDELITY_DESC = 0,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary_init(uint32_t transpose = 0, uint32_t acc_to_dest = 0) {
  [[maybe_unused]] constexpr auto kOp = lightmetal::kernel::binary_op<eltwise_binary_type>();
  constexpr bool kOperandsAlone =
      std::is_same_v<std::remove_const_t<decltype(MATH_FIDELITY_DESC)>, MathFidelity>;
  lightmetal::kernel::accumulate_to_dst = !kOperandsAlone && acc_to_dest != 0;
}
template <EltwiseBinaryType eltwise_binary_type, BroadcastType src_b_bcast_type, auto... modes>
ALWI void llk_math_eltwise_binary_init(uint32_t operandA, uint32_t operandB, uint32_t acc_to_dest) {
  llk_math_eltwise_binary_init<eltwise_binary_type, src_b_bcast_type>(0, acc_to_dest);
}
template <BroadcastType BType = BroadcastType::NONE>
ALWI void llk_unpack_AB_init(uint32_t operandA, uint32_t operandB, uint32_t transpose = 0,
                             uint32_t acc_to_dest = 0) {
  if (transpose != 0) lightmetal::kernel::fail("llk_unpack_AB_init: operands are not transposed");
}

}  // namespace ckernel
