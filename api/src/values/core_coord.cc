#include <algorithm>
#include <ostream>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_coord.hpp>

#include "api/src/values/core_cells.h"

std::string tt_xy_pair::str() const { return fmt::format("(x={},y={})", x, y); }
std::string tt_cxy_pair::str() const { return fmt::format("(chip={},x={},y={})", chip, x, y); }

CoreCoord get_core_coord_from_relative(const RelativeCoreCoord& in, const CoreCoord& grid_size) {
  return {in.x + (in.x < 0 ? grid_size.x : 0), in.y + (in.y < 0 ? grid_size.y : 0)};
}

CoreRange::CoreRange(const CoreCoord& start_coord, const CoreCoord& end_coord)
    : start_coord(start_coord), end_coord(end_coord) {
  TT_FATAL(start_coord.x <= end_coord.x && start_coord.y <= end_coord.y,
           "Invalid core range: its end {} lies before its start {}", end_coord, start_coord);
}

std::size_t CoreRange::size() const { return grid_size().x * grid_size().y; }

CoreCoord CoreRange::grid_size() const {
  return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1};
}

bool CoreRange::contains(const CoreCoord& other) const {
  return start_coord.x <= other.x && other.x <= end_coord.x && start_coord.y <= other.y &&
         other.y <= end_coord.y;
}

bool CoreRange::contains(const CoreRange& other) const {
  return contains(other.start_coord) && contains(other.end_coord);
}

bool CoreRange::contains(const CoreRangeSet& other) const {
  return std::all_of(other.begin(), other.end(),
                     [this](const CoreRange& range) { return contains(range); });
}

bool CoreRange::intersects(const CoreRange& other) const {
  return start_coord.x <= other.end_coord.x && other.start_coord.x <= end_coord.x &&
         start_coord.y <= other.end_coord.y && other.start_coord.y <= end_coord.y;
}

bool CoreRange::adjacent(const CoreRange& other) const {
  const bool x_meets =
      end_coord.x + 1 == other.start_coord.x || other.end_coord.x + 1 == start_coord.x;
  const bool y_meets =
      end_coord.y + 1 == other.start_coord.y || other.end_coord.y + 1 == start_coord.y;
  const bool x_overlaps = start_coord.x <= other.end_coord.x && other.start_coord.x <= end_coord.x;
  const bool y_overlaps = start_coord.y <= other.end_coord.y && other.start_coord.y <= end_coord.y;
  return (x_meets && y_overlaps) || (y_meets && x_overlaps);
}

std::optional<CoreRange> CoreRange::intersection(const CoreRange& other) const {
  if (!intersects(other)) return std::nullopt;
  return CoreRange(
      {std::max(start_coord.x, other.start_coord.x), std::max(start_coord.y, other.start_coord.y)},
      {std::min(end_coord.x, other.end_coord.x), std::min(end_coord.y, other.end_coord.y)});
}

std::optional<CoreRange> CoreRange::merge(const CoreRange& other) const {
  if (!intersects(other) && !adjacent(other)) return std::nullopt;
  const bool same_rows = start_coord.y == other.start_coord.y && end_coord.y == other.end_coord.y;
  const bool same_columns =
      start_coord.x == other.start_coord.x && end_coord.x == other.end_coord.x;
  if (!same_rows && !same_columns) return std::nullopt;
  return CoreRange(
      {std::min(start_coord.x, other.start_coord.x), std::min(start_coord.y, other.start_coord.y)},
      {std::max(end_coord.x, other.end_coord.x), std::max(end_coord.y, other.end_coord.y)});
}

std::string CoreRange::str() const { return fmt::format("[{} - {}]", start_coord, end_coord); }

CoreRange::CoreIterator& CoreRange::CoreIterator::operator++() {
  if (current_.x == last_x_) {
    current_ = {first_x_, current_.y + 1};
  } else {
    ++current_.x;
  }
  return *this;
}

CoreRange::CoreIterator CoreRange::CoreIterator::operator++(int) {
  CoreIterator before = *this;
  ++*this;
  return before;
}

CoreRangeSet::CoreRangeSet(tt::stl::Span<const CoreRange> ranges)
    : ranges_(ranges.begin(), ranges.end()) {
  check_disjoint();
}
CoreRangeSet::CoreRangeSet(tt::stl::Span<const CoreCoord> cores)
    : ranges_(cores.begin(), cores.end()) {
  check_disjoint();
}
CoreRangeSet::CoreRangeSet(std::initializer_list<CoreRange> ranges) : ranges_(ranges) {
  check_disjoint();
}
CoreRangeSet::CoreRangeSet(const std::set<CoreRange>& ranges)
    : ranges_(ranges.begin(), ranges.end()) {
  check_disjoint();
}
CoreRangeSet::CoreRangeSet(std::vector<CoreRange>&& ranges) : ranges_(std::move(ranges)) {
  check_disjoint();
}

void CoreRangeSet::check_disjoint() const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    for (std::size_t j = i + 1; j < ranges_.size(); ++j) {
      TT_FATAL(!ranges_[i].intersects(ranges_[j]),
               "Cannot create a CoreRangeSet of ranges that overlap: {} and {}", ranges_[i],
               ranges_[j]);
    }
  }
}

uint32_t CoreRangeSet::num_cores() const {
  std::size_t cores = 0;
  for (const CoreRange& range : ranges_) cores += range.size();
  return static_cast<uint32_t>(cores);
}

CoreRangeSet CoreRangeSet::union_of(const std::vector<CoreRange>& ranges) {
  std::vector<CoreRange> all =
      tt::tt_metal::combine_ranges(ranges, {}, [](bool a, bool) { return a; });
  std::sort(all.begin(), all.end());
  return CoreRangeSet(std::move(all));
}

CoreRangeSet CoreRangeSet::subtract(const CoreRangeSet& other) const {
  return CoreRangeSet(
      tt::tt_metal::combine_ranges(ranges_, other.ranges_, [](bool a, bool b) { return a && !b; }));
}

CoreRangeSet CoreRangeSet::intersection(const CoreRangeSet& other) const {
  return CoreRangeSet(
      tt::tt_metal::combine_ranges(ranges_, other.ranges_, [](bool a, bool b) { return a && b; }));
}

bool CoreRangeSet::intersects(const CoreRange& other) const {
  return std::any_of(begin(), end(),
                     [&](const CoreRange& range) { return range.intersects(other); });
}

bool CoreRangeSet::intersects(const CoreRangeSet& other) const {
  return std::any_of(begin(), end(),
                     [&](const CoreRange& range) { return other.intersects(range); });
}

bool CoreRangeSet::contains(const CoreCoord& other) const {
  return std::any_of(begin(), end(), [&](const CoreRange& range) { return range.contains(other); });
}

// The ranges do not overlap, so the cores that they share with `other` add up: the set contains
// `other` when they are as many as `other` has.
bool CoreRangeSet::contains(const CoreRange& other) const {
  std::size_t shared = 0;
  for (const CoreRange& range : ranges_) {
    if (const auto overlap = range.intersection(other)) shared += overlap->size();
  }
  return shared == other.size();
}

bool CoreRangeSet::contains(const CoreRangeSet& other) const {
  return std::all_of(other.begin(), other.end(),
                     [this](const CoreRange& range) { return contains(range); });
}

CoreRange CoreRangeSet::bounding_box() const {
  TT_FATAL(!ranges_.empty(), "An empty CoreRangeSet has no bounding box");
  CoreRange box = ranges_.front();
  for (const CoreRange& range : ranges_) {
    box.start_coord.x = std::min(box.start_coord.x, range.start_coord.x);
    box.start_coord.y = std::min(box.start_coord.y, range.start_coord.y);
    box.end_coord.x = std::max(box.end_coord.x, range.end_coord.x);
    box.end_coord.y = std::max(box.end_coord.y, range.end_coord.y);
  }
  return box;
}

std::string CoreRangeSet::str() const { return fmt::format("{{{}}}", fmt::join(ranges_, ", ")); }

std::ostream& operator<<(std::ostream& os, const tt_xy_pair& core) { return os << core.str(); }
std::ostream& operator<<(std::ostream& os, const CoreRange& range) { return os << range.str(); }
std::ostream& operator<<(std::ostream& os, const CoreRangeSet& set) { return os << set.str(); }

namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed * 0x9E3779B97F4A7C15ull + value;
}

}  // namespace

std::size_t std::hash<CoreRange>::operator()(const CoreRange& range) const noexcept {
  return mix(std::hash<CoreCoord>{}(range.start_coord), std::hash<CoreCoord>{}(range.end_coord));
}

std::size_t std::hash<CoreRangeSet>::operator()(const CoreRangeSet& set) const noexcept {
  std::size_t seed = set.size();
  for (const CoreRange& range : set) seed = mix(seed, std::hash<CoreRange>{}(range));
  return seed;
}
