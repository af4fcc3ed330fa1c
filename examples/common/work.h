#pragma once

#include <cstdint>
#include <tt-metalium/core_coord.hpp>
#include <vector>

// How the examples spread work over the grid.
namespace example {

// Units [first, first + count) are done by `core`.
struct CoreWork {
  CoreCoord core;
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Work {
  CoreRangeSet cores;  // all that take part
  std::vector<CoreWork> parts = {};
};

// Spreads `units` units evenly, in the order of the cores row by row.
Work split_work(CoreCoord grid, uint32_t units);

}  // namespace example
