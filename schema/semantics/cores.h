#pragma once

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "base/core.h"
#include "schema/semantics/refusal.h"
#include "schema/types_generated.h"

namespace lightmetal::schema::semantics {

// NoC coordinates have six bits: no grid is larger.
inline constexpr uint32_t kMaxGrid = 64;

// A core's number in the largest grid.
constexpr uint16_t number_in_largest_grid(const Core& core) {
  return static_cast<uint16_t>(core.y * kMaxGrid + core.x);
}

using CoreRanges = flatbuffers::Vector<const CoreRange*>;

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
  // `ranges` may be null. Refuses ranges that are upside down, overlap, or leave the largest grid;
  // the error names `object` and its `field`.
  static absl::StatusOr<CoreSet> of(const CoreRanges* ranges, const Object& object,
                                    absl::string_view field);

  bool empty() const { return end_.y == 0; }
  // The first column and the first row behind all cores.
  const Core& end() const { return end_; }
  uint32_t count() const;

  bool contains(const Core& core) const;
  bool contains(const CoreSet& other) const;
  bool intersects(const CoreSet& other) const;
  // True when all cores lie in a grid of this size.
  bool fits(const Core& grid) const { return end_.x <= grid.x && end_.y <= grid.y; }
  void add(const CoreSet& other);

  // Calls function(Core) for each, row by row.
  template <class Function>
  void for_each(Function function) const {
    for (uint32_t y = first_row_; y < end_.y; ++y) {
      for (uint64_t row = rows_[y]; row != 0; row &= row - 1) {
        function(Core{static_cast<uint32_t>(__builtin_ctzll(row)), y});
      }
    }
  }

 private:
  // False when one of the cores is there already. REQUIRES: it lies in the largest grid.
  bool add_range(const CoreRange& range);

  // There is room for `end` rows.
  void reserve(uint32_t end) {
    if (end > rows_.size()) rows_.resize(end);
  }

  Rows rows_ = Rows(kUsualRows);  // one bit for each column; as many as end_ says, or more
  Core end_;
  uint32_t first_row_ = kMaxGrid;  // that has a core
};

std::string text_of(const Core& core);

}  // namespace lightmetal::schema::semantics
