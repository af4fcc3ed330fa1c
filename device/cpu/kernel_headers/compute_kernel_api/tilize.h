#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/reduction.h"

// Rows to tiles: as many rows as a tile has, of `block` tiles' elements each, become `block` tiles.
namespace ckernel {

template <auto... modes>
ALWI void tilize_init(uint32_t icb, uint32_t block, uint32_t ocb = 16, auto... /*line*/) {}
ALWI void tilize_init_short(uint32_t icb, uint32_t block, uint32_t ocb = 16) {}
template <auto... modes>
ALWI void tilize_init_short_with_dt(uint32_t old_icb, uint32_t new_icb, uint32_t block,
                                    uint32_t ocb = 16) {}
ALWI void tilize_uninit(uint32_t icb, uint32_t ocb = 16) {}
ALWI void tilize_uninit_with_dt(uint32_t old_icb = 0, uint32_t new_icb = 1, uint32_t ocb = 16) {}

// The tiles follow those that were packed since the last cb_push_back.
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb) {
  auto& out = lightmetal::kernel::circular_buffer(static_cast<int32_t>(ocb));
  lightmetal::kernel::tiles().tilize(lightmetal::kernel::packing_context(), icb, block, ocb, 0,
                                     out.packed_tiles);
  out.packed_tiles += block;
}

// Indices count tiles from the read and the write pointer.
template <auto... modes>
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile_index,
                       uint32_t output_tile_index = 0) {
  lightmetal::kernel::tiles().tilize(lightmetal::kernel::packing_context(), icb, block, ocb,
                                     input_tile_index, output_tile_index);
}

// The fast variants are the same here. The last argument of fast_tilize_uninit is as of 2026.
template <auto... modes>
ALWI void fast_tilize_init(uint32_t icb, uint32_t full_dim, uint32_t ocb, auto... /*line*/) {}
template <auto... modes>
ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb,
                                      auto... /*line*/) {}
template <auto... modes>
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb) {}
template <auto... modes>
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb) {}
template <auto... modes>
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t full_dim = 0) {}
template <auto... modes>
ALWI void fast_tilize_block(uint32_t icb, uint32_t block, uint32_t ocb,
                            uint32_t input_tile_index = 0, uint32_t output_tile_index = 0) {
  tilize_block<>(icb, block, ocb, input_tile_index, output_tile_index);
}
ALWI void unpack_tilizeA_B_uninit(uint32_t icb) {}

// ---- Rows that are reduced: each reduce_tile_math takes the next of the tiles ----

template <bool neginf_srcA = true, bool zero_srcA_reduce = false, auto... modes>
ALWI void tilizeA_B_reduce_init(uint32_t icb0, uint32_t icb1_scaler, uint32_t block,
                                uint32_t ocb = 16, uint32_t num_faces = 4, uint32_t face_r_dim = 16,
                                auto... /*line*/) {}

// Set up again for another number of tiles, as helpers do below the API.
template <bool neginf_srcA = false, uint32_t reload_srcB = false, bool zero_srcA = false,
          bool zero_srcA_reduce = false>
ALWI void llk_unpack_tilizeA_B_init(uint32_t operandA, uint32_t operandB, uint32_t ct_dim,
                                    uint32_t num_faces = 4, uint32_t unpA_face_r_dim = 16,
                                    uint32_t unpB_face_r_dim = 16) {}

// Where the call says nothing of faces, tiles have the shape of the circular buffer of the rows.
// Otherwise tiles of one face are 16 elements wide, others 32; of four faces they have 2 *
// srca_face_r_dim rows, else srca_face_r_dim. What the hardware fills in around them (the arguments
// of the template) does not show in a result: it never counts.
template <bool neginf_srcA = true, uint32_t reload_srcB = true, bool zero_srcA = false,
          bool zero_srcA_reduce = false>
ALWI void unpack_tilizeA_B_block(uint32_t icb0, uint32_t icb1, uint32_t block,
                                 uint32_t tile_idx_b) {
  lightmetal::kernel::unpacked_rows = {.cb = icb0,
                                       .cb_scaler = icb1,
                                       .tiles = block,
                                       .tile_scaler = tile_idx_b,
                                       .shape = lightmetal::kernel::tile_shape(icb0),
                                       .taken = 0};
}
template <bool neginf_srcA = true, uint32_t reload_srcB = true, bool zero_srcA = false,
          bool zero_srcA_reduce = false>
ALWI void unpack_tilizeA_B_block(uint32_t icb0, uint32_t icb1, uint32_t block, uint32_t tile_idx_b,
                                 uint32_t num_faces, uint32_t srca_face_r_dim = 16) {
  if (num_faces != 1 && num_faces != 2 && num_faces != 4)
    lightmetal::kernel::fail("unpack_tilizeA_B_block: tiles have 1, 2 or 4 faces");
  if (srca_face_r_dim == 0 || srca_face_r_dim > 16 || (num_faces == 4 && srca_face_r_dim != 16))
    lightmetal::kernel::fail("unpack_tilizeA_B_block: faces have 1 to 16 rows, four faces 16");
  unpack_tilizeA_B_block(icb0, icb1, block, tile_idx_b);
  lightmetal::kernel::unpacked_rows.shape =
      lightmetal::kernel::shape_of_faces(icb0, srca_face_r_dim, num_faces);
}

}  // namespace ckernel
