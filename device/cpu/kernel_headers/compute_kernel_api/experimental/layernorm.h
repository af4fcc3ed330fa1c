#pragma once

#include "compute_kernel_api/tile_move_copy.h"
#include "lightmetal/two_pass_statistics.h"

// Tiles less the mean of each row, as of late 2026. The mean is in two parts, the columns of one
// tile that two_pass_stats_finalize_split_mean_to_row leaves when it is transposed: an anchor near
// the values, and anchor - mean. Each is taken by itself, so that close values keep their bits.
namespace ckernel {

ALWI void sub_bcast_cols_compensated_init(uint32_t input_cb, uint32_t split_mean_cb,
                                          auto... /*line*/) {
  copy_init(input_cb);
}

ALWI void sub_bcast_cols_compensated(uint32_t input_cb, uint32_t split_mean_cb, uint32_t input_tile,
                                     uint32_t dst_tile, uint32_t tile_count) {
  using namespace lightmetal::kernel;
  float anchor[32], rest[32];
  copy_tile(split_mean_cb, 0, dst_tile);
  const auto* means = static_cast<const float*>(dst_operand(dst_tile, false));
  for (uint32_t row = 0; row < 32; ++row) {
    anchor[row] = means[place_in_tile(row, 0)];
    rest[row] = means[place_in_tile(row, kSplitMeanRow)];
  }
  for (uint32_t tile = 0; tile < tile_count; ++tile) {
    copy_tile(input_cb, input_tile + tile, dst_tile + tile);
    auto* values = static_cast<float*>(dst_operand(dst_tile + tile, false));
    for (uint32_t i = 0; i < 1024; ++i) {
      float& value = values[place_in_tile(i / 32, i % 32)];
      value = (value - anchor[i / 32]) + rest[i / 32];
    }
  }
}

}  // namespace ckernel
