#include "compute_kernel_api/matmul.h"

#include <cstdint>

#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {
void MAIN {
  constexpr uint32_t Kt = get_compile_time_arg_val(0);
  const uint32_t num_tiles = get_arg_val<uint32_t>(0);
  constexpr uint32_t cb_a = tt::CBIndex::c_0;
  constexpr uint32_t cb_b = tt::CBIndex::c_1;
  constexpr uint32_t cb_out = tt::CBIndex::c_16;

  mm_init(cb_a, cb_b, cb_out);
  for (uint32_t tile = 0; tile < num_tiles; ++tile) {
    acquire_dst();
    for (uint32_t k = 0; k < Kt; ++k) {
      cb_wait_front(cb_a, 1);
      cb_wait_front(cb_b, 1);
      matmul_tiles(cb_a, cb_b, 0, 0, 0, false);
      cb_pop_front(cb_a, 1);
      cb_pop_front(cb_b, 1);
    }
    cb_reserve_back(cb_out, 1);
    pack_tile(0, cb_out);
    cb_push_back(cb_out, 1);
    release_dst();
  }
}
}  // namespace NAMESPACE
