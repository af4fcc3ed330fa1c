#pragma once

#include "compute_kernel_api/common_globals.h"

// Who owns DST. One kernel does all, so nothing has to be waited for. As on hardware, a release
// zeroes the section of DST that was packed, and nothing else does.
namespace lightmetal::kernel {

FORCE_INLINE void sync_dst(kernel_abi::DstCall call) {
  context()->services->tiles->dst_sync(context(), call);
}

}  // namespace lightmetal::kernel

namespace ckernel {

ALWI void tile_regs_acquire() {
  lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kAcquire);
}
ALWI void tile_regs_wait() {}
template <auto... modes>
ALWI void tile_regs_commit() {
  lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kCommit);
}
template <auto... modes>
ALWI void tile_regs_release() {
  lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kRelease);
}

// The calls of 2024, which commit when they release.
ALWI void acquire_dst() { tile_regs_acquire(); }
ALWI void acquire_dst(tt::DstMode mode) { tile_regs_acquire(); }
template <auto... modes>
ALWI void release_dst() {
  tile_regs_release();
}
ALWI void release_dst(tt::DstMode mode) { tile_regs_release(); }

// Waits for the hardware's instructions, which are done here.
ALWI void tensix_sync() {}

}  // namespace ckernel
