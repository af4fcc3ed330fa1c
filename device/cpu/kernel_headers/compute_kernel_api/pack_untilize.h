#pragma once

#include "compute_kernel_api/common_globals.h"
#include "compute_kernel_api/reg_api.h"

// Tiles of DST to rows at the write pointer. A row is full_ct_dim tiles long, of which block_ct_dim
// are packed: block number block_c_index of them. Where a call says nothing of faces, tiles have
// the shape of the circular buffer that is packed to.

namespace lightmetal::kernel {

// Part of a tile that is packed. Tiles of four faces are packed whole.
FORCE_INLINE RowShape packed_shape(uint32_t cb, uint32_t face_r_dim, uint32_t num_faces) {
  if (num_faces != 1 && num_faces != 2 && num_faces != 4)
    fail("pack_untilize: tiles have 1, 2 or 4 faces");
  if (face_r_dim == 0 || face_r_dim > 16 || (num_faces == 4 && face_r_dim != 16))
    fail("pack_untilize: faces have 1 to 16 rows, four faces 16");
  return shape_of_faces(cb, face_r_dim, num_faces);
}

FORCE_INLINE void pack_untilize(uint32_t first_dst, uint32_t block_tiles, uint32_t row_tiles,
                                uint32_t blocks, uint32_t block_index, uint32_t cb,
                                RowShape shape) {
  for (uint32_t block = 0; block < blocks; ++block) {
    tiles().pack_untilize(packing_context(), first_dst + block * block_tiles, block_tiles,
                          row_tiles, block_index * block_tiles, block, cb, shape);
  }
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... modes>
ALWI void pack_untilize_init(uint32_t icb, uint32_t ocb, auto... /*line*/) {}
// As of 2026, where the packer's registers are as they were.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... modes>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, auto... /*line*/) {}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_init_short(uint32_t icb, uint32_t ocb) {}
template <auto... modes>
ALWI void pack_untilize_uninit(uint32_t ocb = 16) {}

// block_rt_dim times block_ct_dim tiles of a circular buffer, through DST, which is acquired and
// released for each block.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... modes>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb,
                              uint32_t block_c_index = 0) {
  auto* context = lightmetal::kernel::packing_context();
  for (uint32_t block = 0; block < block_rt_dim; ++block) {
    tile_regs_acquire();
    for (uint32_t i = 0; i < block_ct_dim; ++i) {
      context->services->copy_tile(context, icb, block * block_ct_dim + i, i);
    }
    if constexpr (lightmetal::kernel::kIsPart) {
      tile_regs_commit();
      tile_regs_wait();
    }
    lightmetal::kernel::tiles().pack_untilize(context, 0, block_ct_dim, full_ct_dim,
                                              block_c_index * block_ct_dim, block, ocb,
                                              lightmetal::kernel::tile_shape(ocb));
    if constexpr (lightmetal::kernel::kIsPart) tile_regs_release();
  }
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dst_init_short(uint32_t ocb, uint32_t face_r_dim = 16,
                                       uint32_t num_faces = 4) {
  static_assert(!diagonal, "pack_untilize: diagonal packing is not supported");
}

// Of rows that are narrow, row_num_datums elements are packed.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dst(uint32_t ocb, uint32_t block_rt_dim, uint32_t block_c_index,
                            uint32_t face_r_dim, uint32_t num_faces = 4) {
  static_assert(!diagonal, "pack_untilize: diagonal packing is not supported");
  auto shape = lightmetal::kernel::packed_shape(ocb, face_r_dim, num_faces);
  if constexpr (narrow_row) shape.columns = row_num_datums;
  lightmetal::kernel::pack_untilize(0, block_ct_dim, full_ct_dim, block_rt_dim, block_c_index, ocb,
                                    shape);
}

template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dst(uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0) {
  static_assert(!diagonal, "pack_untilize: diagonal packing is not supported");
  auto shape = lightmetal::kernel::tile_shape(ocb);
  if constexpr (narrow_row) shape.columns = row_num_datums;
  lightmetal::kernel::pack_untilize(0, block_ct_dim, full_ct_dim, block_rt_dim, block_c_index, ocb,
                                    shape);
}

// As of late 2025, and with the part behind the rows as of 2026. `diagonal` stood before
// `narrow_row` in some releases; either way it is false.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM, bool dense = false, auto... modes>
ALWI void pack_untilize_dest_init(uint32_t ocb, auto... /*faces, line*/) {
  static_assert(!dense, "refused: pack_untilize_dest does not pack two tiles of two faces as one");
}

// Of rows that are narrow, row_num_datums elements are packed. The first tile of DST is the sum of
// tile_dst_ct_offset and tile_dst_rt_offset, of which the latter is known at run time.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM,
          uint32_t tile_dst_ct_offset = 0, bool dense = false>
ALWI void pack_untilize_dest(uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0,
                             uint32_t tile_dst_rt_offset = 0) {
  static_assert(!diagonal, "refused: pack_untilize_dest does not pack diagonally");
  static_assert(!dense, "refused: pack_untilize_dest does not pack two tiles of two faces as one");
  auto shape = lightmetal::kernel::tile_shape(ocb);
  if constexpr (narrow_row) shape.columns = row_num_datums;
  lightmetal::kernel::pack_untilize(tile_dst_ct_offset + tile_dst_rt_offset, block_ct_dim,
                                    full_ct_dim, block_rt_dim, block_c_index, ocb, shape);
}
// With the height and the number of the faces, as of late 2025.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM>
ALWI void pack_untilize_dest(uint32_t ocb, uint32_t block_rt_dim, uint32_t block_c_index,
                             uint32_t face_r_dim, uint32_t num_faces) {
  pack_untilize_dst<block_ct_dim, full_ct_dim, false, narrow_row, row_num_datums>(
      ocb, block_rt_dim, block_c_index, face_r_dim, num_faces);
}

}  // namespace ckernel
