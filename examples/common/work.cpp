#include "examples/common/work.h"

#include <tt-metalium/work_split.hpp>

namespace example {

Work split_work(CoreCoord grid, uint32_t units) {
  const auto [num_cores, all_cores, busier, others, units_busier, units_others] =
      tt::tt_metal::split_work_to_cores(grid, units, /*row_wise=*/true);
  Work work{.cores = all_cores};
  uint32_t first = 0;
  for (const CoreCoord& core : grid_to_cores(num_cores, grid.x, grid.y, /*row_wise=*/true)) {
    const uint32_t count = busier.contains(core) ? units_busier : units_others;
    work.parts.push_back({core, first, count});
    first += count;
  }
  return work;
}

}  // namespace example
