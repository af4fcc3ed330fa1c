#pragma once

#include "compute_kernel_api/common_globals.h"
#include "lightmetal/refused_statistics.h"
#include "lightmetal/sfpu.h"

// Mean and sum of squared distances from it (M2) of each column, by Welford's recurrence down the
// rows of one tile of DST after the other, as of 2026. A table of reciprocals is not needed: they
// are divisions here.
namespace lightmetal::kernel {

struct ColumnStatistics {
  float mean[32];
  float m2[32];
};
inline ColumnStatistics column_statistics = {};

// `count` elements of each column were taken before these rows.
FORCE_INLINE void take_rows(uint32_t dst, uint32_t count, uint32_t first, uint32_t rows) {
  if (first > 32 || rows > 32 - first) fail("welford_update_rows: a tile has 32 rows");
  const auto* values = static_cast<const float*>(dst_operand(dst, false));
  ColumnStatistics& all = column_statistics;
  for (uint32_t row = first; row < first + rows; ++row) {
    const auto number = static_cast<float>(++count);
    for (uint32_t column = 0; column < 32; ++column) {
      const float value = values[place_in_tile(row, column)];
      const float distance = value - all.mean[column];
      all.mean[column] += distance / number;
      all.m2[column] += distance * (value - all.mean[column]);
    }
  }
}

// To and from the first rows of a tile and the one behind it.
FORCE_INLINE void put_first_row(uint32_t dst, const float* values, float divisor) {
  auto* words = static_cast<float*>(dst_words(dst, false));
  sfpu().dst_values(context(), dst, kernel_abi::DstUse::kWriteFloats);
  for (uint32_t i = 0; i < 32; ++i) words[place_in_tile(0, i)] = values[i] / divisor;
}
FORCE_INLINE void get_first_row(uint32_t dst, float* values) {
  const auto* words = static_cast<const float*>(dst_operand(dst, false));
  for (uint32_t i = 0; i < 32; ++i) values[i] = words[place_in_tile(0, i)];
}

}  // namespace lightmetal::kernel

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
  lightmetal::kernel::put_first_row(mean_dst_idx, lightmetal::kernel::column_statistics.mean, 1);
  lightmetal::kernel::put_first_row(mean_dst_idx + 1, lightmetal::kernel::column_statistics.m2, 1);
}
ALWI void welford_restore_state(uint32_t mean_dst_idx) {
  lightmetal::kernel::get_first_row(mean_dst_idx, lightmetal::kernel::column_statistics.mean);
  lightmetal::kernel::get_first_row(mean_dst_idx + 1, lightmetal::kernel::column_statistics.m2);
}

// The mean, and the variance of scale_idx + 1 elements in the next tile.
template <size_t reciprocal_size>
ALWI void welford_finalize_to_row(uint32_t mean_dst_idx, uint32_t scale_idx,
                                  const std::array<uint32_t, reciprocal_size>& /*reciprocal_lut*/) {
  const auto count = static_cast<float>(scale_idx + 1);
  lightmetal::kernel::put_first_row(mean_dst_idx, lightmetal::kernel::column_statistics.mean, 1);
  lightmetal::kernel::put_first_row(mean_dst_idx + 1, lightmetal::kernel::column_statistics.m2,
                                    count);
}

}  // namespace ckernel
