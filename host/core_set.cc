#include "host/core_set.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// Has one bit for each column from `first` to `last`. REQUIRES: first <= last < kMaxGrid. The shift
// is by less than 64 even for all columns, which a shift of `1` by their number would not be.
uint64_t columns(uint32_t first, uint32_t last) {
  return (~uint64_t{0} >> (kMaxGrid - 1 - (last - first))) << first;
}

struct Range {
  Core first;
  Core last;
};

std::string range_text(const Range& range) {
  return absl::StrCat("[", text_of(range.first), " - ", text_of(range.last), "]");
}

// Takes the first run of columns without a gap out of the row. REQUIRES: the row is not 0.
Range take_columns(uint64_t& row, uint32_t y) {
  const auto first = static_cast<uint32_t>(std::countr_zero(row));
  const uint32_t last = first + static_cast<uint32_t>(std::countr_one(row >> first)) - 1;
  row &= ~columns(first, last);
  return {{first, y}, {last, y}};
}

}  // namespace

std::string text_of(const Core& core) { return absl::StrCat("(x=", core.x, ",y=", core.y, ")"); }

CoreSet CoreSet::of(const Core& core) {
  CoreSet set;
  set.add_range(core, core).IgnoreError();  // REQUIRES: it lies in the largest grid
  return set;
}

CoreSet CoreSet::of_grid(const Core& size) {
  CoreSet set;
  set.add_range({0, 0}, {size.x - 1, size.y - 1}).IgnoreError();
  return set;
}

absl::Status check_range(const Core& first, const Core& last) {
  if (first.x <= last.x && first.y <= last.y) return absl::OkStatus();
  return refuse("Invalid core range: its end ", text_of(last), " lies before its start ",
                text_of(first));
}

absl::Status CoreSet::add_range(const Core& first, const Core& last) {
  const auto refuse_range = [&](const auto&... expected) {
    return refuse("the range of cores ", range_text({first, last}), " ", expected...);
  };
  LM_RETURN_IF_ERROR(check_range(first, last));
  if (last.x >= kMaxGrid || last.y >= kMaxGrid) {
    return refuse_range("leaves the largest grid of all devices, ", kMaxGrid, " by ", kMaxGrid);
  }
  const uint64_t row = columns(first.x, last.x);
  reserve(last.y + 1);
  for (uint32_t y = first.y; y <= last.y; ++y) {
    if ((rows_[y] & row) != 0) return refuse_range("overlaps another one");
    rows_[y] |= row;
  }
  end_ = {std::max(end_.x, last.x + 1), std::max(end_.y, last.y + 1)};
  first_row_ = std::min(first_row_, first.y);
  return absl::OkStatus();
}

void CoreSet::add(const CoreSet& other) {
  reserve(other.end_.y);
  for (uint32_t y = other.first_row_; y < other.end_.y; ++y) rows_[y] |= other.rows_[y];
  end_ = {std::max(end_.x, other.end_.x), std::max(end_.y, other.end_.y)};
  first_row_ = std::min(first_row_, other.first_row_);
}

uint32_t CoreSet::count() const {
  int count = 0;
  for (uint32_t y = first_row_; y < end_.y; ++y) count += std::popcount(rows_[y]);
  return static_cast<uint32_t>(count);
}

bool CoreSet::contains(const Core& core) const {
  return core.x < kMaxGrid && (row(core.y) >> core.x & 1) != 0;
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

CoreSet CoreSet::intersection(const CoreSet& other) const {
  CoreSet shared;
  for (uint32_t y = 0; y < std::min(end_.y, other.end_.y); ++y) {
    for (uint64_t row = rows_[y] & other.rows_[y]; row != 0;) {
      const Range range = take_columns(row, y);
      shared.add_range(range.first, range.last).IgnoreError();
    }
  }
  return shared;
}

std::string CoreSet::text() const {
  std::vector<Range> ranges;
  for (uint32_t y = first_row_; y < end_.y; ++y) {
    for (uint64_t row = rows_[y]; row != 0;) {
      const Range range = take_columns(row, y);
      // A range that ends in the row above with the same columns goes on in this row.
      const auto above = std::ranges::find_if(ranges, [&](const Range& other) {
        return other.last == Core{range.last.x, y - 1} && other.first.x == range.first.x;
      });
      if (above == ranges.end()) {
        ranges.push_back(range);
      } else {
        above->last.y = y;
      }
    }
  }
  return absl::StrCat(
      "{",
      absl::StrJoin(ranges, ", ",
                    [](std::string* out, const Range& range) { out->append(range_text(range)); }),
      "}");
}

}  // namespace lightmetal::host
