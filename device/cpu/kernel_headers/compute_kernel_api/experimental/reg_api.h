#pragma once

#include "compute_kernel_api/reg_api.h"

// DST that the processor that does the maths zeroes when it acquires a section, as of late 2026.
// Here releasing zeroes the section as well.
namespace lightmetal::kernel {

FORCE_INLINE void zero_dst_section() {
  const uint32_t tiles = ((1u << context()->dst_tiles) - 1) << context()->dst_first;
  context()->dst_state &= ~(tiles | tiles << kernel_abi::kDstTiles);
}

}  // namespace lightmetal::kernel

namespace ckernel {

template <auto... modes>
ALWI void tile_regs_acquire_math_clear() {
  tile_regs_acquire();
  if constexpr (lightmetal::kernel::kDoesMath) lightmetal::kernel::zero_dst_section();
}
ALWI void tile_regs_release_math_clear() { tile_regs_release(); }

}  // namespace ckernel
