#pragma once

#include "compute_kernel_api/common_globals.h"

// Copying tiles from a circular buffer to DST. Each initialiser also says whether the copies after
// it transpose.
namespace ckernel {

ALWI void copy_tile_to_dst_init_short(uint32_t cbid = 0, uint32_t transpose = 0) {
  lightmetal::kernel::copy_transposes = transpose != 0;
}
// As of late 2025: whether the order of the faces is transposed, and whether each face is. Each
// face alone are those of what a reduction left transposed in its accumulator, which is none here.
ALWI void copy_tile_to_dst_init_short(uint32_t cbid, uint32_t transpose,
                                      uint32_t transpose_within_16x16_face, auto... /*line*/) {
  if (transpose != 0 && transpose_within_16x16_face == 0)
    lightmetal::kernel::fail("copy_tile: faces are not transposed without what they hold");
  copy_tile_to_dst_init_short(cbid, transpose);
}
ALWI void copy_tile_init(uint32_t cbid = 0, auto... /*line*/) { copy_tile_to_dst_init_short(cbid); }
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old_cbid, uint32_t new_cbid,
                                              uint32_t transpose = 0) {
  copy_tile_to_dst_init_short(new_cbid, transpose);
}

template <auto... modes>
ALWI void copy_tile(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index) {
  auto* context = lightmetal::kernel::context();
  if (lightmetal::kernel::copy_transposes) {
    lightmetal::kernel::tiles().transpose_tile(context, in_cb_id, in_tile_index, dst_tile_index);
  } else {
    context->services->copy_tile(context, in_cb_id, in_tile_index, dst_tile_index);
  }
}

// ---- As of 2026 ----

template <auto... modes>
ALWI void copy_init(uint32_t cbid, uint32_t transpose = 0) {
  copy_tile_to_dst_init_short(cbid, transpose);
}
template <auto... modes>
ALWI void copy_init(uint32_t cbid, uint32_t transpose, uint32_t transpose_within_16x16_face,
                    auto... /*line*/) {
  copy_tile_to_dst_init_short(cbid, transpose, transpose_within_16x16_face);
}

// Tiles in a row to tiles in a row of DST.
template <auto... modes>
ALWI void copy_block(uint32_t in_cb_id, uint32_t start_in_tile_index, uint32_t start_dst_tile_index,
                     uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i);
}

// Unpacks a tile and uses it for nothing, which the hardware's counters need.
ALWI void dummy_unpack(uint32_t cb_id) {}

// ---- What helpers call below the API ----

inline constexpr bool UnpackToDestEn = true;

// Transposing what faces hold and not their order prepares values of the first column for a
// reduction of rows, which keeps them in a row on the hardware; here it keeps them in the column.
template <auto... modes>
ALWI void llk_unpack_A_init(uint32_t transpose_of_faces, uint32_t within_face_16x16_transpose,
                            uint32_t operand) {
  if (transpose_of_faces != 0 && within_face_16x16_transpose == 0)
    lightmetal::kernel::fail("llk_unpack_A_init: the order of faces is not transposed alone");
  copy_tile_to_dst_init_short(operand, transpose_of_faces);
}
template <auto... modes>
ALWI void llk_math_eltwise_unary_datacopy_init(uint32_t operand) {}

// ---- Before ----

ALWI void copy_block_matmul_partials(uint32_t in_cb_id, uint32_t start_in_tile_index,
                                     uint32_t start_dst_tile_index, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i)
    copy_tile(in_cb_id, start_in_tile_index + i, start_dst_tile_index + i);
}

}  // namespace ckernel
