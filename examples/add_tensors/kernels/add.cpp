#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/dataflow/dataflow_buffer.h"

// Adds pairs of tiles.
void kernel_main() {
  DataflowBuffer a(dfb::a), b(dfb::b), sums(dfb::sums);
  compute_kernel_hw_startup(dfb::a, dfb::b, dfb::sums);
  add_init(dfb::a, dfb::b);
  for (uint32_t tile = 0; tile < get_arg(args::count); ++tile) {
    a.wait_front(1);
    b.wait_front(1);
    tile_regs_acquire();
    add_tiles(dfb::a, dfb::b, 0, 0, 0);
    tile_regs_commit();
    a.pop_front(1);
    b.pop_front(1);

    sums.reserve_back(1);
    tile_regs_wait();
    pack_tile(0, dfb::sums);
    tile_regs_release();
    sums.push_back(1);
  }
}
