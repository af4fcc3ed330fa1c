// Adds tiles of circular buffers 0 and 1 into circular buffer 16.
#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
  const uint32_t count = get_arg_val<uint32_t>(0);
  constexpr auto cb_a = tt::CBIndex::c_0;
  constexpr auto cb_b = tt::CBIndex::c_1;
  constexpr auto cb_sum = tt::CBIndex::c_16;

  binary_op_init_common(cb_a, cb_b, cb_sum);
  add_tiles_init(cb_a, cb_b);
  for (uint32_t tile = 0; tile < count; ++tile) {
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
    tile_regs_acquire();
    add_tiles(cb_a, cb_b, 0, 0, 0);
    tile_regs_commit();
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);

    cb_reserve_back(cb_sum, 1);
    tile_regs_wait();
    pack_tile(0, cb_sum);
    tile_regs_release();
    cb_push_back(cb_sum, 1);
  }
}
