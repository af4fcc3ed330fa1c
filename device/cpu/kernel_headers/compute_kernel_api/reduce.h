#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/reduction.h"

// Sums and maxima over rows (REDUCE_ROW: the result is the first column), columns (REDUCE_COL: the
// first row) or a whole tile (REDUCE_SCALAR: the first element), combined with what DST holds. The
// result is scaled by the scaler tile, twice when a whole tile is reduced; AVG is SUM with a scaler
// that divides. A maximum takes of the scaler its power of two, without its sign.
//   REDUCE_OP and REDUCE_DIM, where the program defines them before this header, are what is meant
// when no template argument says it.
#if defined(REDUCE_OP) && defined(REDUCE_DIM)
#define LIGHTMETAL_REDUCE_OP = REDUCE_OP
#define LIGHTMETAL_REDUCE_DIM = REDUCE_DIM
#else
#define LIGHTMETAL_REDUCE_OP
#define LIGHTMETAL_REDUCE_DIM
#endif

namespace ckernel {

// From here on packing keeps a reduction's results, and makes zero of the other elements of a tile,
// which a reduction of the vector unit leaves as they were; until the mask is cleared. reduce_tile
// does so itself, so its initialisers set no mask.
template <ReduceDim dim, auto... modes>
ALWI void llk_pack_reduce_mask_config(uint32_t icb_out) {
  lightmetal::kernel::context()->pack_mask =
      1 + static_cast<uint32_t>(lightmetal::kernel::reduce_dim(dim));
}
template <auto... modes>
ALWI void llk_pack_reduce_mask_clear() {
  lightmetal::kernel::context()->pack_mask = 0;
}

// ---- 2025 ----

template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM,
          bool enforce_fp32_accumulation = false>
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, auto... /*line*/) {
  llk_pack_reduce_mask_clear();
}
template <bool enforce_fp32_accumulation = false>
ALWI void reduce_uninit(uint32_t icb = 0) {
  llk_pack_reduce_mask_clear();
}

template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM,
          bool enforce_fp32_accumulation = false>
ALWI void reduce_tile(uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler,
                      uint32_t idst) {
  static_assert(reduce_type != PoolType::MIN, "refused: reduce_tile takes SUM, AVG and MAX");
  using namespace lightmetal::kernel;
  tiles().reduce_tile(context(), lightmetal::kernel::reduce_op(reduce_type),
                      lightmetal::kernel::reduce_dim(reduce_dim), icb, icb_scaler, itile,
                      itile_scaler, idst);
}

// The next tile of unpack_tilizeA_B_block.
template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM,
          bool enforce_fp32_accumulation = false>
ALWI void reduce_tile_math(uint32_t idst, uint32_t num_faces = 4) {
  lightmetal::kernel::reduce_next_rows(lightmetal::kernel::reduce_op(reduce_type),
                                       lightmetal::kernel::reduce_dim(reduce_dim), idst, num_faces);
}

// ---- As of 2026 ----

// Tiles in a row, each to the next tile of DST.
template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM,
          auto... modes>
ALWI void reduce_block(uint32_t icb, uint32_t icb_scaler, uint32_t start_itile,
                       uint32_t itile_scaler, uint32_t start_idst, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i) {
    reduce_tile<reduce_type, reduce_dim>(icb, icb_scaler, start_itile + i, itile_scaler,
                                         start_idst + i);
  }
}

// ---- 2024: the first template argument says whether the kernel begins with it ----

template <bool at_start, PoolType reduce_type LIGHTMETAL_REDUCE_OP,
          ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM>
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb = 16) {}
template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM>
ALWI void reduce_init_short(uint32_t icb, uint32_t icb_scaler, uint32_t ocb = 16) {}
template <bool at_start, PoolType reduce_type LIGHTMETAL_REDUCE_OP,
          ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM>
ALWI void reduce_init_delta(uint32_t icb = 0, uint32_t icb_scaler = 1, uint32_t ocb = 16) {}
template <PoolType reduce_type LIGHTMETAL_REDUCE_OP, ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM,
          bool enforce_fp32_accumulation = false>
ALWI void reduce_init_delta(uint32_t icb = 0, uint32_t icb_scaler = 1, uint32_t ocb = 16) {}
template <ReduceDim reduce_dim LIGHTMETAL_REDUCE_DIM>
ALWI void reduce_revert_delta(uint32_t ocb = 16) {}

// ---- Before: operation and direction are arguments ----

template <bool at_start>
ALWI void reduce_init(PoolType reduce_op, ReduceDim dim, uint32_t icb, uint32_t icb_scaler,
                      uint32_t ocb = 16) {}
ALWI void reduce_init_short(PoolType reduce_op, ReduceDim dim, uint32_t icb, uint32_t icb_scaler,
                            uint32_t ocb = 16) {}
template <bool at_start>
ALWI void reduce_init_delta(PoolType reduce_op, ReduceDim dim, uint32_t ocb = 16, uint32_t icb0 = 0,
                            uint32_t icb1 = 1) {}
ALWI void reduce_tile(PoolType reduce_op, ReduceDim dim, uint32_t icb, uint32_t icb_scaler,
                      uint32_t itile, uint32_t itile_scaler, uint32_t idst) {
  using namespace lightmetal::kernel;
  tiles().reduce_tile(context(), lightmetal::kernel::reduce_op(reduce_op),
                      lightmetal::kernel::reduce_dim(dim), icb, icb_scaler, itile, itile_scaler,
                      idst);
}

// The parts of the initialisers.
template <PoolType type, ReduceDim dim, auto... modes>
ALWI void llk_unpack_AB_reduce_init(uint32_t operandA, uint32_t operandB) {}
template <PoolType type, ReduceDim dim, auto... modes>
ALWI void llk_math_reduce_init(auto... /*operands*/) {}
template <ReduceDim dim, bool at_kernel_start = false, bool revert = false,
          bool is_fp32_dest_acc_en = false>
ALWI void llk_pack_reduce_config_v2(uint32_t icb_out) {}

}  // namespace ckernel

#undef LIGHTMETAL_REDUCE_OP
#undef LIGHTMETAL_REDUCE_DIM
