#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/column_statistics.h"

// Mean and M2 of each column in two passes over the same rows, as of late 2026: first the sum of
// the distances from an anchor, an element of the column; then the squared distances from the mean.
// Both live where Welford's recurrence has them (`column_statistics`).
namespace lightmetal::kernel {

struct ColumnAnchors {
  float anchor[32];
  float sum[32];         // of distances from the anchor
  float correction[32];  // mean - anchor
};
inline ColumnAnchors column_anchors = {};

// function(column, value) for each element of some rows.
template <typename Function>
FORCE_INLINE void for_each_of_rows(uint32_t dst, uint32_t first, uint32_t rows, Function function) {
  if (first > 32 || rows > 32 - first) fail("two_pass_stats: a tile has 32 rows");
  const auto* values = static_cast<const float*>(dst_operand(dst, false));
  for (uint32_t row = first; row < first + rows; ++row) {
    for (uint32_t column = 0; column < 32; ++column)
      function(column, values[place_in_tile(row, column)]);
  }
}

// The row of a saved state's first tile that keeps the anchor, and that of a tile of split means
// which keeps anchor - mean: transposed, the first column of the second faces.
inline constexpr uint32_t kAnchorRow = 1;
inline constexpr uint32_t kSplitMeanRow = 16;

FORCE_INLINE void set_anchors(uint32_t dst, uint32_t row) {
  get_row(dst, row, column_anchors.anchor);
  for (uint32_t i = 0; i < 32; ++i)
    column_anchors.correction[i] = column_statistics.mean[i] - column_anchors.anchor[i];
}

FORCE_INLINE void put_variance(uint32_t dst, uint32_t reciprocal_bits) {
  put_row(dst, 0, column_statistics.m2, float_of(reciprocal_bits));
}

}  // namespace lightmetal::kernel

namespace ckernel {

enum class TwoPassAccumulation : uint8_t { ShiftedSum, CentredM2 };
enum class TwoPassAnchor : uint8_t { Reuse, Initialise };

ALWI void two_pass_stats_clear() {
  lightmetal::kernel::column_statistics = {};
  lightmetal::kernel::column_anchors = {};
}
ALWI void two_pass_stats_init_shifted() { two_pass_stats_clear(); }

// Of rows [start_row, start_row + num_rows): their distances from the anchor to the sum, or the
// squares of those from the mean to M2. Initialise takes the first of the rows for the anchor.
template <TwoPassAccumulation accumulation, TwoPassAnchor anchor = TwoPassAnchor::Reuse,
          bool dual_accumulator = true>
ALWI void two_pass_stats_update_shifted_rows(uint32_t input_dst_idx, uint32_t start_row,
                                             uint32_t num_rows) {
  using namespace lightmetal::kernel;
  if constexpr (anchor == TwoPassAnchor::Initialise) {
    column_anchors = {};
    for_each_of_rows(input_dst_idx, start_row, 1,
                     [](uint32_t column, float value) { column_anchors.anchor[column] = value; });
  }
  for_each_of_rows(input_dst_idx, start_row, num_rows, [](uint32_t column, float value) {
    const float distance = value - column_anchors.anchor[column];
    if constexpr (accumulation == TwoPassAccumulation::ShiftedSum) {
      column_anchors.sum[column] += distance;
    } else {
      const float rest = distance - column_anchors.correction[column];
      column_statistics.m2[column] += rest * rest;
    }
  });
}

// The sum becomes the mean of 1 / reciprocal rows, and M2 begins.
template <bool dual_sum = true, bool retain_anchor = false>
ALWI void two_pass_stats_finish_shifted_mean(uint32_t reciprocal_bits) {
  using namespace lightmetal::kernel;
  for (uint32_t i = 0; i < 32; ++i) {
    column_anchors.correction[i] = column_anchors.sum[i] * float_of(reciprocal_bits);
    column_statistics.mean[i] = column_anchors.anchor[i] + column_anchors.correction[i];
    column_statistics.m2[i] = column_anchors.sum[i] = 0;
  }
}

template <bool dual_m2 = true>
ALWI void two_pass_stats_update_rows(uint32_t input_dst_idx, uint32_t start_row,
                                     uint32_t num_rows) {
  using namespace lightmetal::kernel;
  for_each_of_rows(input_dst_idx, start_row, num_rows, [](uint32_t column, float value) {
    const float distance = value - column_statistics.mean[column];
    column_statistics.m2[column] += distance * distance;
  });
}

// The mean, and M2 in the next tile; and the anchor, in a tile of its own or beside the mean.
template <bool dual_m2 = true>
ALWI void two_pass_stats_save_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::save_statistics(mean_dst_idx);
}
ALWI void two_pass_stats_save_anchor(uint32_t anchor_dst_idx) {
  lightmetal::kernel::put_row(anchor_dst_idx, 0, lightmetal::kernel::column_anchors.anchor, 1);
}
ALWI void two_pass_stats_restore_anchor(uint32_t anchor_dst_idx) {
  lightmetal::kernel::set_anchors(anchor_dst_idx, 0);
}
ALWI void two_pass_stats_save_anchor_to_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::put_row(mean_dst_idx, lightmetal::kernel::kAnchorRow,
                              lightmetal::kernel::column_anchors.anchor, 1);
}
ALWI void two_pass_stats_restore_anchor_from_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::set_anchors(mean_dst_idx, lightmetal::kernel::kAnchorRow);
}

// Puts the state of `block_n` rows (a float's bits) into a saved one; both have 1 /
// total_reciprocal rows then, and stay the current state.
template <bool dual_m2 = true>
ALWI void two_pass_stats_combine_block(uint32_t mean_dst_idx, uint32_t total_reciprocal_bits,
                                       uint32_t block_n_bits) {
  using namespace lightmetal::kernel;
  const ColumnStatistics block = column_statistics;
  restore_statistics(mean_dst_idx);
  const float count = float_of(block_n_bits);
  const float share = count * float_of(total_reciprocal_bits);
  for (uint32_t i = 0; i < 32; ++i) {
    const float distance = block.mean[i] - column_statistics.mean[i];
    column_statistics.mean[i] += distance * share;
    column_statistics.m2[i] += block.m2[i] + distance * distance * count * (1 - share);
  }
  save_statistics(mean_dst_idx);
}

// The mean, where store_mean says so, and the variance of 1 / reciprocal rows in the next tile.
template <bool dual_m2 = true, bool store_mean = true>
ALWI void two_pass_stats_finalize_to_row(uint32_t mean_dst_idx, uint32_t reciprocal_bits) {
  using namespace lightmetal::kernel;
  if constexpr (store_mean) put_row(mean_dst_idx, 0, column_statistics.mean, 1);
  put_variance(mean_dst_idx + 1, reciprocal_bits);
}
// The same with the mean in two parts: the anchor, and anchor - mean. Transposed, they are what
// sub_bcast_cols_compensated takes.
template <bool dual_m2 = true>
ALWI void two_pass_stats_finalize_split_mean_to_row(uint32_t mean_dst_idx,
                                                    uint32_t reciprocal_bits) {
  using namespace lightmetal::kernel;
  put_row(mean_dst_idx, 0, column_anchors.anchor, 1);
  put_row(mean_dst_idx, kSplitMeanRow, column_anchors.correction, -1);
  put_variance(mean_dst_idx + 1, reciprocal_bits);
}

}  // namespace ckernel
