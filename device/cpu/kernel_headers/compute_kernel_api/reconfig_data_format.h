#pragma once

#include "compute_kernel_api/common_globals.h"

// Formats are those of the circular buffers that are read, so there is nothing to reconfigure.
namespace ckernel {

template <bool to_from_int8 = false>
ALWI void reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                               uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srca(uint32_t srca_new_operand) {}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srcb(uint32_t srcb_new_operand) {}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

ALWI void llk_unpack_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
ALWI void llk_unpack_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                          uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
ALWI void llk_math_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
ALWI void llk_math_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                        uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

ALWI void unpack_reconfig_data_format(uint32_t srca_new_operand, uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format(uint32_t srca_old_operand, uint32_t srca_new_operand,
                                      uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format_srca(uint32_t srca_new_operand) {}
ALWI void unpack_reconfig_data_format_srca(uint32_t srca_old_operand, uint32_t srca_new_operand) {}
ALWI void unpack_reconfig_data_format_srcb(uint32_t srcb_new_operand) {}
ALWI void unpack_reconfig_data_format_srcb(uint32_t srcb_old_operand, uint32_t srcb_new_operand) {}

}  // namespace ckernel
