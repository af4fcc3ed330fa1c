#include <cstdint>

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/tile_move_copy.h"

// Sums of pairs of tiles, `batch` at once.
namespace NAMESPACE {
void MAIN {
  constexpr uint32_t batch = get_compile_time_arg_val(0);
  constexpr uint32_t cb_a = tt::CBIndex::c_0;
  constexpr uint32_t cb_b = tt::CBIndex::c_1;
  constexpr uint32_t cb_sum = tt::CBIndex::c_16;
  const uint32_t count = get_arg_val<uint32_t>(0);

  binary_op_init_common(cb_a, cb_b, cb_sum);
  add_tiles_init(cb_a, cb_b);
  for (uint32_t tile = 0; tile < count; tile += batch) {
    cb_wait_front(cb_a, batch);
    cb_wait_front(cb_b, batch);
    cb_reserve_back(cb_sum, batch);
    tile_regs_acquire();
    for (uint32_t i = 0; i < batch; ++i) add_tiles(cb_a, cb_b, i, i, i);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < batch; ++i) pack_tile(i, cb_sum);
    tile_regs_release();
    cb_pop_front(cb_a, batch);
    cb_pop_front(cb_b, batch);
    cb_push_back(cb_sum, batch);
  }
}
}  // namespace NAMESPACE
