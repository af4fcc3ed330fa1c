#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/work_split.hpp>
#include <utility>

namespace tt::tt_metal {
namespace {

// A grid whose cores are counted line by line: a line is a column, or a row when row_wise.
struct Grid {
  CoreCoord size;
  bool row_wise;

  std::size_t line_length() const { return row_wise ? size.x : size.y; }
  std::size_t num_cores() const { return size.x * size.y; }
  CoreCoord core(std::size_t line, std::size_t place) const {
    return row_wise ? CoreCoord(place, line) : CoreCoord(line, place);
  }
  std::size_t index_of(const CoreCoord& core) const {
    return row_wise ? core.y * size.x + core.x : core.x * size.y + core.y;
  }

  // Cores `first` to `first + count - 1`: the rest of a begun line, whole lines, and the beginning
  // of one.
  CoreRangeSet cores(std::size_t first, std::size_t count) const {
    std::vector<CoreRange> ranges;
    const std::size_t length = line_length();
    while (count != 0) {
      const std::size_t line = first / length, place = first % length;
      const bool whole_lines = place == 0 && count >= length;
      const std::size_t lines = whole_lines ? count / length : 1;
      const std::size_t places = whole_lines ? length : std::min(count, length - place);
      ranges.push_back(CoreRange(core(line, place), core(line + lines - 1, place + places - 1)));
      first += lines * places;
      count -= lines * places;
    }
    return CoreRangeSet(std::move(ranges));
  }
};

struct Shares {
  uint32_t num_cores = 0;
  uint32_t busier = 0;  // how many of them take one unit more
  uint32_t units = 0;   // that each of the others takes
};

Shares share_out(std::size_t num_cores, uint32_t units) {
  Shares shares;
  shares.num_cores = static_cast<uint32_t>(std::min<std::size_t>(num_cores, units));
  if (shares.num_cores == 0) return shares;
  shares.busier = units % shares.num_cores;
  shares.units = units / shares.num_cores;
  return shares;
}

// Shares units out among cores; `select(first, count)` gives cores by their place in the order of
// counting.
template <typename Select>
SplitWork split_work(std::size_t num_cores, uint32_t units, const Select& select) {
  const Shares shares = share_out(num_cores, units);
  TT_FATAL(units == 0 || shares.num_cores != 0, "There is no core to take {} units of work", units);
  const CoreRangeSet all = select(0, shares.num_cores);
  if (shares.busier == 0) return {shares.num_cores, all, all, CoreRangeSet(), shares.units, 0};
  return {shares.num_cores,         all,
          select(0, shares.busier), select(shares.busier, shares.num_cores - shares.busier),
          shares.units + 1,         shares.units};
}

}  // namespace

uint32_t find_max_divisor(uint32_t val, uint32_t start_max_div) {
  for (uint32_t divisor = start_max_div; divisor > 1; --divisor) {
    if (divisor != 5 && divisor != 7 && val % divisor == 0) return divisor;
  }
  return 1;
}

uint32_t find_max_block_size(uint32_t val, uint32_t max_block_size) {
  for (uint32_t divisor = max_block_size; divisor > 1; --divisor) {
    if (val % divisor == 0) return divisor;
  }
  return 1;
}

CoreRangeSet num_cores_to_corerangeset(CoreCoord start_core, uint32_t target_num_cores,
                                       CoreCoord grid_size, bool row_wise) {
  const Grid grid{grid_size, row_wise};
  TT_FATAL(start_core.x < grid_size.x && start_core.y < grid_size.y,
           "Core {} is not in a grid of {}x{} cores", start_core, grid_size.x, grid_size.y);
  const std::size_t first = grid.index_of(start_core);
  TT_FATAL(target_num_cores <= grid.num_cores() - first,
           "{} cores were asked for, but from {} on a grid of {}x{} has {}", target_num_cores,
           start_core, grid_size.x, grid_size.y, grid.num_cores() - first);
  return grid.cores(first, target_num_cores);
}

CoreRangeSet num_cores_to_corerangeset(uint32_t target_num_cores, CoreCoord grid_size,
                                       bool row_wise) {
  return num_cores_to_corerangeset({0, 0}, target_num_cores, grid_size, row_wise);
}

CoreRangeSet num_cores_to_corerangeset_in_subcoregrids(CoreCoord start_core,
                                                       uint32_t target_num_cores,
                                                       const CoreRangeSet& sub_core_grids,
                                                       bool row_wise) {
  const auto cores = corerange_to_cores(sub_core_grids, std::nullopt, row_wise);
  const auto start = std::find(cores.begin(), cores.end(), start_core);
  TT_FATAL(start != cores.end(), "Core {} is not in {}", start_core, sub_core_grids);
  const auto first = static_cast<uint32_t>(start - cores.begin());
  TT_FATAL(target_num_cores != 0 && target_num_cores <= cores.size() - first,
           "{} cores were asked for, but from {} on {} has {}", target_num_cores, start_core,
           sub_core_grids, cores.size() - first);
  return select_from_corerangeset(sub_core_grids, first, first + target_num_cores - 1, row_wise);
}

SplitWork split_work_to_cores(CoreCoord grid_size, uint32_t units_to_divide, bool row_wise) {
  const Grid grid{grid_size, row_wise};
  return split_work(
      grid.num_cores(), units_to_divide,
      [&grid](std::size_t first, std::size_t count) { return grid.cores(first, count); });
}

SplitWork split_work_to_cores(const CoreRangeSet& core_grid, uint32_t units_to_divide,
                              bool row_wise) {
  return split_work(core_grid.num_cores(), units_to_divide, [&](uint32_t first, uint32_t count) {
    return count == 0 ? CoreRangeSet()
                      : select_from_corerangeset(core_grid, first, first + count - 1, row_wise);
  });
}

std::tuple<std::vector<uint32_t>, CoreRangeSet> split_work_to_cores_even_multiples(
    const CoreCoord& core_grid, uint32_t units_to_divide, uint32_t multiple, bool row_wise) {
  TT_FATAL(multiple != 0, "Work cannot be divided in pieces of 0 units");
  const uint32_t whole = units_to_divide / multiple, rest = units_to_divide % multiple;
  const uint32_t pieces = whole + (rest != 0);
  const Grid grid{core_grid, row_wise};
  const Shares shares = share_out(grid.num_cores(), pieces);
  TT_FATAL(pieces == 0 || shares.num_cores != 0, "There is no core to take {} units of work",
           units_to_divide);
  std::vector<uint32_t> units;
  for (uint32_t core = 0; core < shares.num_cores; ++core)
    units.push_back((shares.units + (core < shares.busier)) * multiple);
  if (rest != 0) units[(pieces - 1) % shares.num_cores] -= multiple - rest;
  return {std::move(units), grid.cores(0, shares.num_cores)};
}

}  // namespace tt::tt_metal
