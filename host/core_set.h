#pragma once

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "base/core.h"

namespace lightmetal::host {

// NoC coordinates have six bits: no grid is larger.
inline constexpr uint32_t kMaxGrid = 64;

// A core's number in the largest grid.
constexpr uint16_t number_in_largest_grid(const Core& core) {
  return static_cast<uint16_t>(core.y * kMaxGrid + core.x);
}

// A range of cores, both ends included, is not upside down.
absl::Status check_range(const Core& first, const Core& last);

// A set of cores of a grid of at most kMaxGrid x kMaxGrid. Small for the grids that chips have:
// there is one for each command that names cores, and several in each program.
class CoreSet {
  static constexpr size_t kUsualRows = 10;
  using Rows = absl::InlinedVector<uint64_t, kUsualRows>;

 public:
  // What one takes at most besides its own size.
  static constexpr uint64_t kMostBytesBehind = kMaxGrid * sizeof(Rows::value_type);

  CoreSet() = default;
  static CoreSet of(const Core& core);
  // The whole of a grid. REQUIRES: it is at most kMaxGrid x kMaxGrid.
  static CoreSet of_grid(const Core& size);

  // Adds the cores from `first` to `last`, both included. Refuses a range that is upside down,
  // leaves the largest grid, or has a core of the set; the set is of no use afterwards.
  absl::Status add_range(const Core& first, const Core& last);
  void add(const CoreSet& other);

  bool empty() const { return end_.y == 0; }
  // The first column and the first row behind all cores.
  const Core& end() const { return end_; }
  uint32_t count() const;

  bool contains(const Core& core) const;
  bool contains(const CoreSet& other) const;
  bool intersects(const CoreSet& other) const;
  CoreSet intersection(const CoreSet& other) const;
  // True when all cores lie in a grid of this size.
  bool fits(const Core& grid) const { return end_.x <= grid.x && end_.y <= grid.y; }

  // Calls function(Core) for each, row by row.
  template <class Function>
  void for_each(Function function) const {
    for (uint32_t y = first_row_; y < end_.y; ++y) {
      for (uint64_t row = rows_[y]; row != 0; row &= row - 1) {
        function(Core{static_cast<uint32_t>(__builtin_ctzll(row)), y});
      }
    }
  }

  // "{[(x=0,y=0) - (x=1,y=2)]}": few ranges that have all cores, from above.
  std::string text() const;

 private:
  // There is room for `end` rows.
  void reserve(uint32_t end) {
    if (end > rows_.size()) rows_.resize(end);
  }
  uint64_t row(uint32_t y) const { return y < end_.y ? rows_[y] : 0; }

  Rows rows_ = Rows(kUsualRows);  // one bit for each column; as many as end_ says, or more
  Core end_;
  uint32_t first_row_ = kMaxGrid;  // that has a core
};

std::string text_of(const Core& core);  // "(x=1,y=2)"

}  // namespace lightmetal::host
