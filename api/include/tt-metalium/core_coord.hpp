#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <magic_enum/magic_enum.hpp>  // IWYU pragma: export
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
#include <tt-metalium/logger.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/xy_pair.hpp>  // IWYU pragma: export
#include <type_traits>
#include <utility>
#include <vector>

// Cores of the grid, rectangles of cores and sets of them. Value types; errors are thrown as
// std::runtime_error.

// A core by its column x and its row y, counted from 0.
using CoreCoord = tt_xy_pair;

// A core counted from either border of a grid: -1 is the last column or row.
struct RelativeCoreCoord {
  long x = 0;
  long y = 0;

  std::string str() const { return "(x=" + std::to_string(x) + ",y=" + std::to_string(y) + ")"; }

  friend constexpr auto operator<=>(const RelativeCoreCoord&, const RelativeCoreCoord&) = default;
};

CoreCoord get_core_coord_from_relative(const RelativeCoreCoord& in, const CoreCoord& grid_size);

// A rectangle, inclusive at both ends. Throws when made with an end before its start.
class CoreRange {
 public:
  CoreCoord start_coord;
  CoreCoord end_coord;

  CoreRange(const CoreCoord& point) : start_coord(point), end_coord(point) {}
  CoreRange(const CoreCoord& start_coord, const CoreCoord& end_coord);

  std::size_t size() const;
  CoreCoord grid_size() const;

  bool contains(const CoreCoord& other) const;
  bool contains(const CoreRange& other) const;
  bool contains(const class CoreRangeSet& other) const;
  bool intersects(const CoreRange& other) const;
  // True when the two share a border but no core.
  bool adjacent(const CoreRange& other) const;
  std::optional<CoreRange> intersection(const CoreRange& other) const;
  // The union of two ranges that meet or overlap and have the same rows or the same columns;
  // nothing for other ranges, even where one contains the other.
  std::optional<CoreRange> merge(const CoreRange& other) const;

  std::string str() const;  // "[(x=0,y=0) - (x=1,y=2)]"

  // Goes through the cores row by row. Programs bind what the iterator yields to a CoreCoord&,
  // though the coordinate is the iterator's own: whoever changes the coordinate changes where the
  // iterator goes on.
  class CoreIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = CoreCoord;
    using difference_type = std::ptrdiff_t;
    using pointer = CoreCoord*;
    using reference = CoreCoord&;

    CoreIterator() = default;
    CoreIterator(const CoreCoord& current, std::size_t first_x, std::size_t last_x)
        : current_(current), first_x_(first_x), last_x_(last_x) {}

    reference operator*() const { return current_; }
    pointer operator->() const { return &current_; }
    CoreIterator& operator++();
    CoreIterator operator++(int);
    friend bool operator==(const CoreIterator& a, const CoreIterator& b) {
      return a.current_ == b.current_;
    }

   private:
    mutable CoreCoord current_;
    std::size_t first_x_ = 0;
    std::size_t last_x_ = 0;
  };

  CoreIterator begin() const { return {start_coord, start_coord.x, end_coord.x}; }
  CoreIterator end() const {
    return {CoreCoord(start_coord.x, end_coord.y + 1), start_coord.x, end_coord.x};
  }

  // By start, then by end.
  friend auto operator<=>(const CoreRange&, const CoreRange&) = default;
};

// Rectangles that do not overlap, in the order given. Throws when made from ranges that overlap.
// merge, subtract and intersection give canonical sets: each maximal run of a row, joined with
// equal runs of the rows below. The ranges of a merge are sorted by start, those of the others by
// first row, then column. == compares ranges and not cores: canonical sets of equal cores that come
// from the same function are equal.
class CoreRangeSet {
 public:
  CoreRangeSet() = default;
  CoreRangeSet(const CoreRange& range) : ranges_{range} {}
  CoreRangeSet(tt::stl::Span<const CoreRange> ranges);
  CoreRangeSet(std::initializer_list<CoreRange> ranges);
  CoreRangeSet(tt::stl::Span<const CoreCoord> cores);  // a range for each core
  CoreRangeSet(const std::set<CoreRange>& ranges);
  CoreRangeSet(std::vector<CoreRange>&& ranges);

  const std::vector<CoreRange>& ranges() const { return ranges_; }
  std::size_t size() const { return ranges_.size(); }  // ranges, not cores
  bool empty() const { return ranges_.empty(); }
  uint32_t num_cores() const;

  // The union with a CoreRangeSet, a CoreRange, or any container of CoreRanges, which may overlap.
  template <typename Ranges>
  CoreRangeSet merge(const Ranges& other) const {
    std::vector<CoreRange> all = ranges_;
    if constexpr (std::is_convertible_v<const Ranges&, CoreRange>) {
      all.push_back(other);
    } else {
      all.insert(all.end(), other.begin(), other.end());
    }
    return union_of(all);
  }
  // The same cores in canonical form.
  CoreRangeSet merge_ranges() const { return union_of(ranges_); }
  CoreRangeSet subtract(const CoreRangeSet& other) const;
  CoreRangeSet intersection(const CoreRangeSet& other) const;
  bool intersects(const CoreCoord& other) const { return contains(other); }
  bool intersects(const CoreRange& other) const;
  bool intersects(const CoreRangeSet& other) const;
  bool contains(const CoreCoord& other) const;
  bool contains(const CoreRange& other) const;
  bool contains(const CoreRangeSet& other) const;
  // The name of contains until the end of 2024.
  bool core_coord_in_core_ranges(const CoreCoord& core) const { return contains(core); }
  // REQUIRES: not empty; throws otherwise.
  CoreRange bounding_box() const;

  std::string str() const;  // "{[(x=0,y=0) - (x=1,y=2)], ...}"

  std::vector<CoreRange>::const_iterator begin() const { return ranges_.begin(); }
  std::vector<CoreRange>::const_iterator end() const { return ranges_.end(); }

  // Equal ranges in equal order.
  friend bool operator==(const CoreRangeSet&, const CoreRangeSet&) = default;

 private:
  static CoreRangeSet union_of(const std::vector<CoreRange>& ranges);
  void check_disjoint() const;

  std::vector<CoreRange> ranges_;
};

// The first `num_cores` cores of a grid of grid_x columns and grid_y rows, row by row or column by
// column. Throws when the grid has not so many.
std::vector<CoreCoord> grid_to_cores(uint32_t num_cores, uint32_t grid_x, uint32_t grid_y,
                                     bool row_wise = false);
// The cores of a rectangle, both corners included.
std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false);
// All cores of a grid of grid_x columns and grid_y rows: first those of the rectangle from (0, 0)
// to (bbox_x, bbox_y), both included, which work; then the others, which have nothing to do.
std::vector<CoreCoord> grid_to_cores_with_noop(uint32_t bbox_x, uint32_t bbox_y, uint32_t grid_x,
                                               uint32_t grid_y, bool row_wise = false);
// First the used cores, then the others of all cores, each as in corerange_to_cores().
std::vector<CoreCoord> grid_to_cores_with_noop(const CoreRangeSet& used_cores,
                                               const CoreRangeSet& all_cores,
                                               bool row_wise = false);
// The first `max_cores` (default: all) cores of the set, range after range.
std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& cores,
                                          std::optional<uint32_t> max_cores = std::nullopt,
                                          bool row_wise = false);
// Cores start_index to end_index, both included, of corerange_to_cores(cores). Throws when the set
// has not so many cores.
CoreRangeSet select_from_corerangeset(const CoreRangeSet& cores, uint32_t start_index,
                                      uint32_t end_index, bool row_wise = false);

// The first rectangle of x columns and y rows that lies in one range of the set, at the lowest
// corner of the range; nullopt if no range is as large. REQUIRES: x and y are positive.
std::optional<CoreRange> select_contiguous_range_from_corerangeset(const CoreRangeSet& cores,
                                                                   uint32_t x, uint32_t y);

std::ostream& operator<<(std::ostream& os, const tt_xy_pair& core);
std::ostream& operator<<(std::ostream& os, const CoreRange& range);
std::ostream& operator<<(std::ostream& os, const CoreRangeSet& set);

template <>
struct std::hash<CoreRange> {
  std::size_t operator()(const CoreRange& range) const noexcept;
};
template <>
struct std::hash<CoreRangeSet> {
  std::size_t operator()(const CoreRangeSet& set) const noexcept;
};

template <>
struct fmt::formatter<tt_xy_pair> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const tt_xy_pair& core, Context& context) const {
    return fmt::formatter<std::string_view>::format(core.str(), context);
  }
};
template <>
struct fmt::formatter<CoreRange> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const CoreRange& range, Context& context) const {
    return fmt::formatter<std::string_view>::format(range.str(), context);
  }
};
template <>
struct fmt::formatter<CoreRangeSet> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const CoreRangeSet& set, Context& context) const {
    return fmt::formatter<std::string_view>::format(set.str(), context);
  }
};

namespace tt::tt_metal {

using ::CoreCoord;
using ::CoreRange;
using ::corerange_to_cores;
using ::CoreRangeSet;
using ::grid_to_cores;
using ::grid_to_cores_with_noop;
using ::select_contiguous_range_from_corerangeset;
using ::select_from_corerangeset;

}  // namespace tt::tt_metal
