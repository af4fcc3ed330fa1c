#pragma once

#include <cstdint>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/math.hpp>
#include <tuple>
#include <vector>

// How work is spread over cores. Cores are counted column by column, or row by row when row_wise.
namespace tt::tt_metal {

// The largest divisor of `val` up to `start_max_div`; 5 and 7 are never chosen, since blocks of so
// many tiles suit no kernel.
uint32_t find_max_divisor(uint32_t val, uint32_t start_max_div);

// The largest divisor of `val` up to `max_block_size`.
uint32_t find_max_block_size(uint32_t val, uint32_t max_block_size = 8);

// The first `target_num_cores` cores of the grid, or those from `start_core` on. Throws when there
// are not so many.
CoreRangeSet num_cores_to_corerangeset(uint32_t target_num_cores, CoreCoord grid_size,
                                       bool row_wise = false);
CoreRangeSet num_cores_to_corerangeset(CoreCoord start_core, uint32_t target_num_cores,
                                       CoreCoord grid_size, bool row_wise = false);
// The first `target_num_cores` cores of the set, counted from `start_core`. Throws when the core is
// not in the set, or when there are not so many behind it.
CoreRangeSet num_cores_to_corerangeset_in_subcoregrids(CoreCoord start_core,
                                                       uint32_t target_num_cores,
                                                       const CoreRangeSet& sub_core_grids,
                                                       bool row_wise = false);

// The older name of num_cores_to_corerangeset.
inline CoreRangeSet num_cores_to_corerange_set(uint32_t target_num_cores, CoreCoord grid_size,
                                               bool row_wise = false) {
  return num_cores_to_corerangeset(target_num_cores, grid_size, row_wise);
}

// The same, from `start_core` on.
inline CoreRangeSet num_cores_to_corerange_set(CoreCoord start_core, uint32_t target_num_cores,
                                               CoreCoord grid_size, bool row_wise = false) {
  return num_cores_to_corerangeset(start_core, target_num_cores, grid_size, row_wise);
}

// {number of cores used, all of them, group 1, group 2, units for each core of group 1, units for
// each core of group 2}. Each core of group 1 takes one unit more than one of group 2. When the
// units divide evenly, group 1 is all cores, and group 2 is empty.
using SplitWork =
    std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>;
// Divides the units among the cores of a grid, or of a set; no more cores are used than there are
// units. Throws when there are units and no core.
SplitWork split_work_to_cores(CoreCoord grid_size, uint32_t units_to_divide, bool row_wise = false);
SplitWork split_work_to_cores(const CoreRangeSet& core_grid, uint32_t units_to_divide,
                              bool row_wise = false);

// Divides the units among the cores of a grid in pieces of `multiple` units, which are dealt out
// one after the other; the last piece may be smaller. {units of each core that is used, these cores
// in the order of counting}. Throws when `multiple` is 0, and when there are units and no core.
std::tuple<std::vector<uint32_t>, CoreRangeSet> split_work_to_cores_even_multiples(
    const CoreCoord& core_grid, uint32_t units_to_divide, uint32_t multiple, bool row_wise = false);

}  // namespace tt::tt_metal
