#pragma once

#include "compute_kernel_api/common_globals.h"

// Who owns DST. Acquiring zeroes it; one kernel does all, so nothing has to be waited for.
namespace ckernel {

ALWI void tile_regs_acquire() {
  lightmetal::kernel::context()->services->dst_acquire(lightmetal::kernel::context());
}
ALWI void tile_regs_wait() {}
template <auto... modes>
ALWI void tile_regs_commit() {}
template <auto... modes>
ALWI void tile_regs_release() {}

ALWI void acquire_dst() { tile_regs_acquire(); }
ALWI void acquire_dst(tt::DstMode mode) { tile_regs_acquire(); }
template <auto... modes>
ALWI void release_dst() {}
ALWI void release_dst(tt::DstMode mode) {}

// Waits for the hardware's instructions, which are done here.
ALWI void tensix_sync() {}

}  // namespace ckernel
