#include "api/src/values/core_cells.h"

#include <algorithm>
#include <utility>

// The borders of all ranges cut the grid into strips of rows, and each strip into runs of columns,
// within which nothing changes. A strip is decided run by run; equal runs of strips that touch
// become one range.
namespace tt::tt_metal {
namespace {

using Ranges = std::vector<CoreRange>;

struct CoreRun {
  std::size_t first;
  std::size_t last;
};

void sort_unique(std::vector<std::size_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The rows in which some range begins or has just ended: each strip lies between two neighbours.
std::vector<std::size_t> row_borders(const Ranges& a, const Ranges& b) {
  std::vector<std::size_t> borders;
  for (const Ranges* ranges : {&a, &b}) {
    for (const CoreRange& range : *ranges) {
      borders.push_back(range.start_coord.y);
      borders.push_back(range.end_coord.y + 1);
    }
  }
  sort_unique(borders);
  return borders;
}

std::vector<const CoreRange*> ranges_in_row(const Ranges& ranges, std::size_t row) {
  std::vector<const CoreRange*> found;
  for (const CoreRange& range : ranges) {
    if (range.start_coord.y <= row && row <= range.end_coord.y) found.push_back(&range);
  }
  return found;
}

bool any_has_column(const std::vector<const CoreRange*>& ranges, std::size_t column) {
  return std::any_of(ranges.begin(), ranges.end(), [column](const CoreRange* range) {
    return range->start_coord.x <= column && column <= range->end_coord.x;
  });
}

// The kept columns of a row, in maximal runs.
std::vector<CoreRun> kept_runs(const Ranges& a, const Ranges& b, std::size_t row, KeepCore keep) {
  const auto in_a = ranges_in_row(a, row), in_b = ranges_in_row(b, row);
  std::vector<std::size_t> borders;
  for (const auto* ranges : {&in_a, &in_b}) {
    for (const CoreRange* range : *ranges) {
      borders.push_back(range->start_coord.x);
      borders.push_back(range->end_coord.x + 1);
    }
  }
  sort_unique(borders);
  std::vector<CoreRun> runs;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    if (!keep(any_has_column(in_a, borders[i]), any_has_column(in_b, borders[i]))) continue;
    if (!runs.empty() && runs.back().last + 1 == borders[i]) {
      runs.back().last = borders[i + 1] - 1;
    } else {
      runs.push_back({borders[i], borders[i + 1] - 1});
    }
  }
  return runs;
}

// Adds a strip's run: to the range that ends just above it with the same columns, or as a range of
// its own.
void add_run(Ranges& result, const CoreRun& run, std::size_t first_row, std::size_t last_row) {
  for (CoreRange& range : result) {
    if (range.end_coord.y + 1 == first_row && range.start_coord.x == run.first &&
        range.end_coord.x == run.last) {
      range.end_coord.y = last_row;
      return;
    }
  }
  result.push_back(CoreRange({run.first, first_row}, {run.last, last_row}));
}

}  // namespace

std::vector<CoreRange> combine_ranges(const std::vector<CoreRange>& a,
                                      const std::vector<CoreRange>& b, KeepCore keep) {
  const std::vector<std::size_t> borders = row_borders(a, b);
  Ranges result;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    for (const CoreRun& run : kept_runs(a, b, borders[i], keep))
      add_run(result, run, borders[i], borders[i + 1] - 1);
  }
  return result;
}

}  // namespace tt::tt_metal
