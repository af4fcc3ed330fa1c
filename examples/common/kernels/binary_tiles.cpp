#include <cstdint>

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/tile_move_copy.h"

// Combines pairs of tiles; the program defines TILES_INIT and TILES_OP, such as add_tiles_init and
// add_tiles.
namespace NAMESPACE {
void MAIN {
  const uint32_t num_tiles = get_arg_val<uint32_t>(0);
  constexpr uint32_t cb_a = get_compile_time_arg_val(0);
  constexpr uint32_t cb_b = get_compile_time_arg_val(1);
  constexpr uint32_t cb_result = get_compile_time_arg_val(2);

  binary_op_init_common(cb_a, cb_b, cb_result);
  TILES_INIT(cb_a, cb_b);
  for (uint32_t tile = 0; tile < num_tiles; ++tile) {
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
    tile_regs_acquire();
    TILES_OP(cb_a, cb_b, 0, 0, 0);
    tile_regs_commit();
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);

    cb_reserve_back(cb_result, 1);
    tile_regs_wait();
    pack_tile(0, cb_result);
    tile_regs_release();
    cb_push_back(cb_result, 1);
  }
}
}  // namespace NAMESPACE
