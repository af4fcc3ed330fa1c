#pragma once

#include "compute_kernel_api/common_globals.h"

// Packing: DST to a circular buffer's reserved pages.
namespace ckernel {

// In order, tiles follow each other from the last cb_push_back on and the index does not count; out
// of order, it does.
template <bool out_of_order_output = false, auto... modes>
ALWI void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0) {
  auto* context = lightmetal::kernel::packing_context();
  uint32_t tile = output_tile_index;
  if constexpr (!out_of_order_output) {
    tile = lightmetal::kernel::circular_buffer(static_cast<int32_t>(icb)).packed_tiles++;
  }
  context->services->pack_tile(context, ifrom_dst, icb, tile);
}

ALWI void pack_tile_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles) {
  for (uint32_t i = 0; i < ntiles; ++i) pack_tile(ifrom_dst + i, icb);
}

// As of 2026.
template <auto... modes>
ALWI void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles) {
  pack_tile_block(ifrom_dst, icb, ntiles);
}
ALWI void pack_init(uint32_t ocb, auto... /*line*/) {}
// Packs nothing: the hardware's counters need it.
ALWI void dummy_pack(uint32_t cb_id) {}

ALWI void matmul_pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles) {
  pack_tile_block(ifrom_dst, icb, ntiles);
}

// Formats are those of the circular buffer that is packed to.
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t new_cb_id) {}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t old_cb_id, uint32_t new_cb_id) {}

// While it is on, packing adds to what lies in the circular buffer.
ALWI void pack_reconfig_l1_acc(uint32_t l1_acc_en) {
  lightmetal::kernel::context()->pack_accumulates = l1_acc_en != 0;
}
ALWI void llk_pack_reconfig_l1_acc(uint32_t enable) { pack_reconfig_l1_acc(enable); }

// A ReluType, and for thresholds a bfloat16 in the upper half.
ALWI void llk_pack_relu_config(uint32_t config) {
  lightmetal::kernel::context()->services->pack_relu(lightmetal::kernel::context(), config);
}
ALWI void pack_relu_config(uint32_t config) { llk_pack_relu_config(config); }

// As of 2026: the same as an object.
struct ReluConfig {
  ReluType mode;
  uint32_t threshold;  // a bfloat16

  static constexpr ReluConfig none() { return {ReluType::NO_RELU, 0}; }
  static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU, 0}; }
  static constexpr ReluConfig min_threshold(uint32_t threshold) {
    return {ReluType::MIN_THRESHOLD_RELU, threshold};
  }
  static constexpr ReluConfig max_threshold(uint32_t threshold) {
    return {ReluType::MAX_THRESHOLD_RELU, threshold};
  }
};
ALWI void llk_pack_relu_config(const ReluConfig& config) {
  llk_pack_relu_config(static_cast<uint32_t>(config.mode) | config.threshold << 16);
}
ALWI void pack_relu_config(const ReluConfig& config) { llk_pack_relu_config(config); }

}  // namespace ckernel
