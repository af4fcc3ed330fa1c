#pragma once

#include "lightmetal/sfpu.h"

// Mean and sum of squared distances from it (M2) of each column of tiles of DST.
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

// To and from a row of a tile.
FORCE_INLINE void put_row(uint32_t dst, uint32_t row, const float* values, float factor) {
  auto* words = static_cast<float*>(dst_words(dst, false));
  sfpu().dst_values(context(), dst, kernel_abi::DstUse::kWriteFloats);
  for (uint32_t i = 0; i < 32; ++i) words[place_in_tile(row, i)] = values[i] * factor;
}
FORCE_INLINE void get_row(uint32_t dst, uint32_t row, float* values) {
  const auto* words = static_cast<const float*>(dst_operand(dst, false));
  for (uint32_t i = 0; i < 32; ++i) values[i] = words[place_in_tile(row, i)];
}

// The mean, and M2 in the next tile, for an interruption.
FORCE_INLINE void save_statistics(uint32_t mean_dst) {
  put_row(mean_dst, 0, column_statistics.mean, 1);
  put_row(mean_dst + 1, 0, column_statistics.m2, 1);
}
FORCE_INLINE void restore_statistics(uint32_t mean_dst) {
  get_row(mean_dst, 0, column_statistics.mean);
  get_row(mean_dst + 1, 0, column_statistics.m2);
}

}  // namespace lightmetal::kernel
