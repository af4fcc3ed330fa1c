#include <algorithm>
#include <iterator>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/core_coord.hpp>

std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise) {
  const CoreRange range(start, end);
  if (row_wise) return {range.begin(), range.end()};
  std::vector<CoreCoord> cores;
  cores.reserve(range.size());
  for (std::size_t x = start.x; x <= end.x; ++x) {
    for (std::size_t y = start.y; y <= end.y; ++y) cores.emplace_back(x, y);
  }
  return cores;
}

std::vector<CoreCoord> grid_to_cores(uint32_t num_cores, uint32_t grid_x, uint32_t grid_y,
                                     bool row_wise) {
  TT_FATAL(num_cores <= uint64_t{grid_x} * grid_y, "A grid of {}x{} cores has no {} cores", grid_x,
           grid_y, num_cores);
  std::vector<CoreCoord> cores;
  cores.reserve(num_cores);
  for (uint32_t i = 0; i < num_cores; ++i) {
    cores.push_back(row_wise ? CoreCoord(i % grid_x, i / grid_x)
                             : CoreCoord(i / grid_y, i % grid_y));
  }
  return cores;
}

std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& cores,
                                          std::optional<uint32_t> max_cores, bool row_wise) {
  const std::size_t limit = max_cores.value_or(cores.num_cores());
  std::vector<CoreCoord> result;
  for (const CoreRange& range : cores) {
    if (result.size() >= limit) break;
    const auto more = grid_to_cores(range.start_coord, range.end_coord, row_wise);
    result.insert(result.end(), more.begin(),
                  more.begin() + std::min(more.size(), limit - result.size()));
  }
  return result;
}

std::vector<CoreCoord> grid_to_cores_with_noop(const CoreRangeSet& used_cores,
                                               const CoreRangeSet& all_cores, bool row_wise) {
  std::vector<CoreCoord> cores = corerange_to_cores(used_cores, std::nullopt, row_wise);
  std::ranges::copy_if(corerange_to_cores(all_cores, std::nullopt, row_wise),
                       std::back_inserter(cores),
                       [&](const CoreCoord& core) { return !used_cores.contains(core); });
  return cores;
}

std::vector<CoreCoord> grid_to_cores_with_noop(uint32_t bbox_x, uint32_t bbox_y, uint32_t grid_x,
                                               uint32_t grid_y, bool row_wise) {
  TT_FATAL(bbox_x < grid_x && bbox_y < grid_y, "The rectangle to ({}, {}) leaves a grid of {}x{}",
           bbox_x, bbox_y, grid_x, grid_y);
  return grid_to_cores_with_noop(CoreRangeSet(CoreRange({0, 0}, {bbox_x, bbox_y})),
                                 CoreRangeSet(CoreRange({0, 0}, {grid_x - 1, grid_y - 1})),
                                 row_wise);
}

CoreRangeSet select_from_corerangeset(const CoreRangeSet& cores, uint32_t start_index,
                                      uint32_t end_index, bool row_wise) {
  const auto all = corerange_to_cores(cores, std::nullopt, row_wise);
  TT_FATAL(start_index <= end_index && end_index < all.size(),
           "Cores {} to {} are not within a set of {} cores", start_index, end_index, all.size());
  const std::vector<CoreRange> selected(all.begin() + start_index, all.begin() + end_index + 1);
  return CoreRangeSet().merge(selected);
}

std::optional<CoreRange> select_contiguous_range_from_corerangeset(const CoreRangeSet& cores,
                                                                   uint32_t x, uint32_t y) {
  TT_FATAL(x != 0 && y != 0, "A rectangle of {}x{} cores has no core", x, y);
  for (const CoreRange& range : cores.ranges()) {
    const CoreCoord size = range.grid_size();
    const CoreCoord& start = range.start_coord;
    if (size.x >= x && size.y >= y) return CoreRange(start, {start.x + x - 1, start.y + y - 1});
  }
  return std::nullopt;
}
