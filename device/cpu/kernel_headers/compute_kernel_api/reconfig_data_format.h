#pragma once

#include "compute_kernel_api/common_globals.h"

// Formats are those of the circular buffers that are read, so there is nothing to reconfigure.
namespace ckernel {

template <auto... modes>
ALWI void reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                               uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_srca(uint32_t srca_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_srcb(uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

template <auto... modes>
ALWI void llk_unpack_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void llk_unpack_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                          uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void llk_math_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
template <auto... modes>
ALWI void llk_math_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                        uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

ALWI void unpack_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                      uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format_srca(uint32_t srca_new_operand) {}
ALWI void unpack_reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {}
ALWI void unpack_reconfig_data_format_srcb(uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

// ---- As of 2026: of shapes, of both, and of all formats but Int8; nothing to reconfigure either
// ----

template <auto... modes>
ALWI void reconfig_full_operand(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {}
template <auto... modes>
ALWI void reconfig_full_operand(uint32_t icb0_old_operand, uint32_t icb0_new_operand,
                                uint32_t icb1_old_operand, uint32_t icb1_new_operand) {}
ALWI void reconfig_full_operand_srca(uint32_t new_operand) {}
ALWI void reconfig_full_operand_srca(uint32_t old_operand, uint32_t new_operand) {}
ALWI void reconfig_full_operand_srcb(uint32_t new_operand) {}
ALWI void reconfig_full_operand_srcb(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void reconfig_tile_shape(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {}
template <auto... modes>
ALWI void reconfig_tile_shape(uint32_t icb0_old_operand, uint32_t icb0_new_operand,
                              uint32_t icb1_old_operand, uint32_t icb1_new_operand) {}
ALWI void reconfig_tile_shape_srca(uint32_t new_operand) {}
ALWI void reconfig_tile_shape_srca(uint32_t old_operand, uint32_t new_operand) {}
ALWI void reconfig_tile_shape_srcb(uint32_t new_operand) {}
ALWI void reconfig_tile_shape_srcb(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_skip_int8(uint32_t icb0_new_operand, uint32_t icb1_new_operand) {}
template <auto... modes>
ALWI void reconfig_data_format_skip_int8(uint32_t icb0_old_operand, uint32_t icb0_new_operand,
                                         uint32_t icb1_old_operand, uint32_t icb1_new_operand) {}
ALWI void reconfig_data_format_srca_skip_int8(uint32_t new_operand) {}
ALWI void reconfig_data_format_srca_skip_int8(uint32_t old_operand, uint32_t new_operand) {}
ALWI void reconfig_data_format_srcb_skip_int8(uint32_t new_operand) {}
ALWI void reconfig_data_format_srcb_skip_int8(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void llk_unpack_reconfig_data_format_srcb(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void llk_math_reconfig_data_format_srca(uint32_t old_operand, uint32_t new_operand) {}
template <auto... modes>
ALWI void llk_math_reconfig_data_format_srcb(uint32_t old_operand, uint32_t new_operand) {}

}  // namespace ckernel
