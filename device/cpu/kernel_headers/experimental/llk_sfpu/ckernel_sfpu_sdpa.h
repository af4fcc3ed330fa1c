#pragma once

#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "llk_math_eltwise_unary_sfpu_macros.h"

// What attention kernels of 2026 do with the first column of a tile. Each function works on the
// face at dst_reg; all columns of it are done here, of which such kernels read the first.
namespace lightmetal::kernel {

// An operation on the face at dst_reg, or on that of a tile behind it.
FORCE_INLINE void unary_of_face(UnaryOp op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                                uint32_t tile = 0) {
  constexpr uint32_t kVectors = kernel_abi::kVectorsPerTile;
  sfpu_unary(op, dst_vector / kVectors + tile, a, b, c, 0xffu << dst_vector % kVectors);
}

// e^(scale x) of the same.
FORCE_INLINE void exponential_of_face(uint32_t scale_bf16, uint32_t tile = 0) {
  unary_of_face(UnaryOp::kMulScalar, scale_bf16 << 16, 0, 0, tile);
  unary_of_face(UnaryOp::kExp, 0, 0, 0, tile);
}

}  // namespace lightmetal::kernel

namespace ckernel::sfpu {

template <bool APPROXIMATION_MODE>
FORCE_INLINE void sfpu_reciprocal_init() {}

template <auto... modes>
FORCE_INLINE void calculate_recip_first_column() {
  lightmetal::kernel::unary_of_face(lightmetal::kernel::UnaryOp::kRecip);
}

template <bool SDPA_EXP_APPROX_MODE, uint16_t scale_bf16, bool is_fp32_dest_acc_en = false>
FORCE_INLINE void calculate_exponential_first_column() {
  lightmetal::kernel::exponential_of_face(scale_bf16);
}

// The parameters are those of softplus_tile.
template <bool is_fp32_dest_acc_en = false>
FORCE_INLINE void calculate_softplus_first_column(uint32_t beta, uint32_t beta_reciprocal,
                                                  uint32_t threshold) {
  lightmetal::kernel::unary_of_face(lightmetal::kernel::UnaryOp::kSoftPlus, beta, beta_reciprocal,
                                    threshold);
}

// One of ADD_UNARY to RSUB_UNARY with a float's bits; those of DIV_UNARY are of the reciprocal.
template <bool APPROXIMATION_MODE, int BINOP_MODE, int ITERATIONS, bool is_fp32_dest_acc_en = false>
FORCE_INLINE void calculate_binop_with_scalar(uint32_t param) {
  using lightmetal::kernel::UnaryOp;
  static_assert(BINOP_MODE >= ADD_UNARY && BINOP_MODE <= RSUB_UNARY && ITERATIONS == 8);
  constexpr UnaryOp kOps[] = {UnaryOp::kAddScalar, UnaryOp::kSubScalar, UnaryOp::kMulScalar,
                              UnaryOp::kMulScalar, UnaryOp::kReverseSub};
  lightmetal::kernel::unary_of_face(kOps[BINOP_MODE], param);
}

// Joins two parts of a softmax, each a maximum and a sum of exponentials less it: of the tiles from
// dst_reg on, 0 and 1 hold the maxima, 3 and 4 the sums (with reuse_cur_max_tile, 2 holds the
// second sum). Leaves the joint maximum in 2, e^(scale (maximum - joint)) of both in 0 and 1, and
// the joint sum in 3.
template <bool is_fp32_dest_acc_en = false, bool reuse_cur_max_tile = false>
FORCE_INLINE void calculate_fused_max_sub_exp_add_tile(int scale_bf16) {
  constexpr int kTile = lightmetal::kernel_abi::kVectorsPerTile;
  constexpr int kVectorsOfFace = 8;
  sfpi::vFloat second_sum[kVectorsOfFace];
  for (int i = 0; i < kVectorsOfFace; ++i) {
    second_sum[i] = sfpi::dst_reg[(reuse_cur_max_tile ? 2 : 4) * kTile + i];
    const sfpi::vFloat first = sfpi::dst_reg[i];
    const sfpi::vFloat second = sfpi::dst_reg[kTile + i];
    sfpi::vFloat joint = first;
    v_if(second > first) { joint = second; }
    v_endif;
    sfpi::dst_reg[2 * kTile + i] = joint;
    sfpi::dst_reg[i] = first - joint;
    sfpi::dst_reg[kTile + i] = second - joint;
  }
  lightmetal::kernel::exponential_of_face(static_cast<uint32_t>(scale_bf16));
  lightmetal::kernel::exponential_of_face(static_cast<uint32_t>(scale_bf16), 1);
  for (int i = 0; i < kVectorsOfFace; ++i) {
    sfpi::dst_reg[3 * kTile + i] = sfpi::dst_reg[i] * sfpi::vFloat(sfpi::dst_reg[3 * kTile + i]) +
                                   sfpi::dst_reg[kTile + i] * second_sum[i];
  }
}

}  // namespace ckernel::sfpu
