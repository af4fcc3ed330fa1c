#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

#include <cstdint>

#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/tile_move_copy.h"

// Applies the program's SFPU_OP_CHAIN_0 to tiles from circular buffer 0, into circular buffer 16.
namespace NAMESPACE {
void MAIN {
  constexpr uint32_t num_blocks = get_compile_time_arg_val(0);
  constexpr uint32_t tiles_per_block = get_compile_time_arg_val(1);

  init_sfpu(tt::CBIndex::c_0, tt::CBIndex::c_16);
  for (uint32_t block = 0; block < num_blocks; ++block) {
    cb_reserve_back(tt::CBIndex::c_16, tiles_per_block);
    for (uint32_t tile = 0; tile < tiles_per_block; ++tile) {
      acquire_dst();
      cb_wait_front(tt::CBIndex::c_0, 1);
      copy_tile(tt::CBIndex::c_0, 0, 0);
#ifdef SFPU_OP_CHAIN_0
      SFPU_OP_CHAIN_0
#endif
      pack_tile(0, tt::CBIndex::c_16);
      cb_pop_front(tt::CBIndex::c_0, 1);
      release_dst();
    }
    cb_push_back(tt::CBIndex::c_16, tiles_per_block);
  }
}
}  // namespace NAMESPACE
