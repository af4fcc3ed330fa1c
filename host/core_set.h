#pragma once

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "base/core.h"

namespace lightmetal::host {

// The largest grid on each axis: NoC coordinates have six bits.
inline constexpr uint32_t kMaxGrid = 64;

// A core's number in the largest grid, row by row. REQUIRES: both coordinates are below kMaxGrid.
constexpr uint16_t number_in_largest_grid(const Core& core) {
  return static_cast<uint16_t>(core.y * kMaxGrid + core.x);
}

// The range from `first` to `last`, both included, is not upside down. InvalidArgument otherwise.
absl::Status check_range(const Core& first, const Core& last);

// A set of cores in a grid of at most kMaxGrid x kMaxGrid, with one bit for each core. It needs no
// memory of its own for the grids that chips have: there is one for each command that names cores,
// and several in each program. Not thread-safe.
class CoreSet {
  static constexpr size_t kUsualRows = 10;
  using Rows = absl::InlinedVector<uint64_t, kUsualRows>;

 public:
  // The most bytes that a set allocates besides its own size. Budgets of memory for hostile files
  // count with it.
  static constexpr uint64_t kMostBytesBehind = kMaxGrid * sizeof(Rows::value_type);

  CoreSet() = default;
  // The set of one core. REQUIRES: the core lies in the largest grid.
  static CoreSet of(const Core& core);
  // All cores of a grid. REQUIRES: both sides of the grid are from 1 to kMaxGrid.
  static CoreSet of_grid(const Core& size);

  // Adds the cores from `first` to `last`, both included. Returns InvalidArgument for a range that
  // is upside down, that leaves the largest grid, or that has a core of the set. After the last of
  // these errors the set is half changed and must not be used.
  absl::Status add_range(const Core& first, const Core& last);
  // Adds all cores of `other`; the two may overlap.
  void add(const CoreSet& other);

  bool empty() const { return end_.y == 0; }
  // The first column and the first row that lie behind all cores; (0, 0) for an empty set.
  const Core& end() const { return end_; }
  uint32_t count() const;

  bool contains(const Core& core) const;
  bool contains(const CoreSet& other) const;
  bool intersects(const CoreSet& other) const;
  CoreSet intersection(const CoreSet& other) const;
  // True when all cores lie in a grid of this size.
  bool fits(const Core& grid) const { return end_.x <= grid.x && end_.y <= grid.y; }

  // Calls function(Core) for each core, row by row.
  template <class Function>
  void for_each(Function function) const {
    for (uint32_t y = first_row_; y < end_.y; ++y) {
      for (uint64_t row = rows_[y]; row != 0; row &= row - 1) {
        function(Core{static_cast<uint32_t>(__builtin_ctzll(row)), y});
      }
    }
  }

  // "{[(x=0,y=0) - (x=1,y=2)]}": the set as ranges, from above. A range that has the same columns
  // in consecutive rows is one.
  std::string text() const;

 private:
  // Makes room for `end` rows.
  void reserve(uint32_t end) {
    if (end > rows_.size()) rows_.resize(end);
  }
  uint64_t row(uint32_t y) const { return y < end_.y ? rows_[y] : 0; }

  Rows rows_ = Rows(kUsualRows);  // one bit for each column; at least end_.y rows
  Core end_;
  uint32_t first_row_ = kMaxGrid;  // the first row that has a core; kMaxGrid when none has
};

std::string text_of(const Core& core);  // "(x=1,y=2)"

}  // namespace lightmetal::host
