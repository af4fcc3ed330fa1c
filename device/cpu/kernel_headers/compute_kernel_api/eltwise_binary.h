#pragma once

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"

// Sum, difference and product of two tiles. Each initialiser also says whether the operations after
// it add to DST.
namespace ckernel {

ALWI void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16) {
  lightmetal::kernel::accumulate_to_dst = false;
}

ALWI void mul_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void add_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void sub_tiles_init(uint32_t icb0 = 0, uint32_t icb1 = 1, bool acc_to_dest = false) {
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}
ALWI void mul_tiles_init_f() { mul_tiles_init(); }
ALWI void add_tiles_init_nof() { add_tiles_init(); }
ALWI void sub_tiles_init_nof() { sub_tiles_init(); }

ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kMul, icb0, icb1, itile0, itile1,
                                   idst);
}
ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kAdd, icb0, icb1, itile0, itile1,
                                   idst);
}
ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst) {
  lightmetal::kernel::binary_tiles(lightmetal::kernel::BinaryOp::kSub, icb0, icb1, itile0, itile1,
                                   idst);
}

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
ALWI void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false) {
  binary_op_specific_init<full_init, eltwise_binary_type>();
  lightmetal::kernel::accumulate_to_dst = acc_to_dest;
}

template <EltwiseBinaryType eltwise_binary_type = ELWADD,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t icb0 = 0) {
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

// ---- What helpers call below the API ----

template <EltwiseBinaryType eltwise_binary_type, BroadcastType src_b_bcast_type,
          int MATH_FIDELITY_DESC = 0,
          EltwiseBinaryReuseDestType binary_reuse_dest = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary_init(uint32_t transpose = 0, uint32_t acc_to_dest = 0) {
  [[maybe_unused]] constexpr auto kOp = lightmetal::kernel::binary_op<eltwise_binary_type>();
  lightmetal::kernel::accumulate_to_dst = acc_to_dest != 0;
}
template <BroadcastType BType = BroadcastType::NONE>
ALWI void llk_unpack_AB_init(uint32_t operandA, uint32_t operandB, uint32_t transpose = 0,
                             uint32_t acc_to_dest = 0) {}

}  // namespace ckernel
