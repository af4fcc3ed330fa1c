#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/column_statistics.h"
#include "lightmetal/refused_statistics.h"
#include "lightmetal/two_pass_statistics.h"

// Mean and sum of squared distances from it (M2) of each column, by Welford's recurrence down the
// rows of one tile of DST after the other, as of 2026. A table of reciprocals is not needed: they
// are divisions here.
namespace ckernel {

enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };

ALWI void welford_clear() { lightmetal::kernel::column_statistics = {}; }
template <WelfordInitMode mode = WelfordInitMode::ClearStats>
ALWI void welford_init() {
  if constexpr (mode == WelfordInitMode::ClearStats) welford_clear();
}
template <auto... modes>
ALWI void welford_reinit(uint32_t cbid, auto... /*line*/) {}

template <size_t reciprocal_size>
ALWI void welford_update(uint32_t input_dst_idx, uint32_t start_idx,
                         const std::array<uint32_t, reciprocal_size>& /*reciprocal_lut*/) {
  lightmetal::kernel::take_rows(input_dst_idx, start_idx, 0, 32);
}
template <size_t reciprocal_size>
ALWI void welford_update_rows(uint32_t input_dst_idx, uint32_t start_idx, uint32_t start_row,
                              uint32_t num_rows,
                              const std::array<uint32_t, reciprocal_size>& /*reciprocal_lut*/) {
  lightmetal::kernel::take_rows(input_dst_idx, start_idx, start_row, num_rows);
}

// The mean, and M2 in the next tile, for an interruption.
ALWI void welford_save_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::save_statistics(mean_dst_idx);
}
ALWI void welford_restore_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::restore_statistics(mean_dst_idx);
}

// The forms that name a group.
[[gnu::error("refused: welford_save_state: statistics by groups are not there")]] void
welford_save_state(uint32_t mean_dst_idx, uint32_t group_id);
[[gnu::error("refused: welford_restore_state: statistics by groups are not there")]] void
welford_restore_state(uint32_t mean_dst_idx, uint32_t group_id);

// The mean, and the variance of scale_idx + 1 elements in the next tile.
template <size_t reciprocal_size>
ALWI void welford_finalize_to_row(uint32_t mean_dst_idx, uint32_t scale_idx,
                                  const std::array<uint32_t, reciprocal_size>& /*reciprocal_lut*/) {
  lightmetal::kernel::put_row(mean_dst_idx, 0, lightmetal::kernel::column_statistics.mean, 1);
  lightmetal::kernel::put_row(mean_dst_idx + 1, 0, lightmetal::kernel::column_statistics.m2,
                              1 / static_cast<float>(scale_idx + 1));
}

}  // namespace ckernel
