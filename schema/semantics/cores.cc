#include "schema/semantics/cores.h"

#include <algorithm>
#include <bit>

namespace lightmetal::schema::semantics {
namespace {

std::string text_of(const CoreRange& range) {
  return absl::StrCat(semantics::text_of(Core{range.start().x(), range.start().y()}), " to ",
                      semantics::text_of(Core{range.end().x(), range.end().y()}));
}

// One bit for each of `first` to `last`. REQUIRES: first <= last < kMaxGrid.
uint64_t columns(uint32_t first, uint32_t last) {
  return (~uint64_t{0} >> (kMaxGrid - 1 - (last - first))) << first;
}

}  // namespace

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

CoreSet CoreSet::of(const Core& core) {
  CoreSet set;
  const CoreCoord coord(core.x, core.y);
  set.add_range({coord, coord});
  return set;
}

CoreSet CoreSet::of_grid(const Core& size) {
  CoreSet set;
  set.add_range({CoreCoord(0, 0), CoreCoord(size.x - 1, size.y - 1)});
  return set;
}

absl::StatusOr<CoreSet> CoreSet::of(const CoreRanges* ranges, const Object& object,
                                    absl::string_view field) {
  CoreSet set;
  if (ranges == nullptr) return set;
  for (const CoreRange* range : *ranges) {
    const CoreCoord& start = range->start();
    const CoreCoord& end = range->end();
    if (start.x() > end.x() || start.y() > end.y()) {
      return wrong(object, field, text_of(*range), "a range that ends where it starts or after");
    }
    if (end.x() >= kMaxGrid || end.y() >= kMaxGrid) {
      return wrong(object, field, text_of(*range), "cores in a grid of at most ", kMaxGrid, " by ",
                   kMaxGrid);
    }
    if (!set.add_range(*range)) {
      return wrong(object, field, text_of(*range), "a range that overlaps no other one");
    }
  }
  return set;
}

bool CoreSet::add_range(const CoreRange& range) {
  const uint64_t row = columns(range.start().x(), range.end().x());
  reserve(range.end().y() + 1);
  for (uint32_t y = range.start().y(); y <= range.end().y(); ++y) {
    if ((rows_[y] & row) != 0) return false;
    rows_[y] |= row;
  }
  end_ = {std::max(end_.x, range.end().x() + 1), std::max(end_.y, range.end().y() + 1)};
  first_row_ = std::min(first_row_, range.start().y());
  return true;
}

uint32_t CoreSet::count() const {
  int count = 0;
  for (uint32_t y = first_row_; y < end_.y; ++y) count += std::popcount(rows_[y]);
  return static_cast<uint32_t>(count);
}

bool CoreSet::contains(const Core& core) const {
  return core.x < kMaxGrid && core.y < end_.y && (rows_[core.y] >> core.x & 1) != 0;
}

bool CoreSet::contains(const CoreSet& other) const {
  if (!other.fits(end_)) return false;
  for (uint32_t y = other.first_row_; y < other.end_.y; ++y) {
    if ((other.rows_[y] & ~rows_[y]) != 0) return false;
  }
  return true;
}

bool CoreSet::intersects(const CoreSet& other) const {
  const uint32_t end = std::min(end_.y, other.end_.y);
  for (uint32_t y = std::max(first_row_, other.first_row_); y < end; ++y) {
    if ((other.rows_[y] & rows_[y]) != 0) return true;
  }
  return false;
}

void CoreSet::add(const CoreSet& other) {
  reserve(other.end_.y);
  for (uint32_t y = other.first_row_; y < other.end_.y; ++y) rows_[y] |= other.rows_[y];
  end_ = {std::max(end_.x, other.end_.x), std::max(end_.y, other.end_.y)};
  first_row_ = std::min(first_row_, other.first_row_);
}

}  // namespace lightmetal::schema::semantics
