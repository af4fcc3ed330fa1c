#pragma once

#include "compute_kernel_api/common_globals.h"

// The owner of DST. An object that does all has nothing to wait for; a part waits for the other
// one. As on hardware, a release zeroes the section of DST that was packed, and nothing else does.
namespace lightmetal::kernel {

FORCE_INLINE void sync_dst(kernel_abi::DstCall call) {
  context()->services->tiles->dst_sync(context(), call);
}

}  // namespace lightmetal::kernel

namespace ckernel {

ALWI void tile_regs_acquire() {
  if constexpr (lightmetal::kernel::kDoesMath)
    lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kAcquire);
}
ALWI void tile_regs_wait() {
  if constexpr (lightmetal::kernel::kIsPart && lightmetal::kernel::kPacks)
    lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kWait);
}
template <auto... modes>
ALWI void tile_regs_commit() {
  if constexpr (lightmetal::kernel::kDoesMath)
    lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kCommit);
}
template <auto... modes>
ALWI void tile_regs_release() {
  if constexpr (lightmetal::kernel::kPacks)
    lightmetal::kernel::sync_dst(lightmetal::kernel_abi::DstCall::kRelease);
}

// The calls of 2024: a packing processor waits when it acquires, and the release commits.
ALWI void acquire_dst() {
  tile_regs_acquire();
  tile_regs_wait();
}
ALWI void acquire_dst(tt::DstMode mode) { acquire_dst(); }
template <auto... modes>
ALWI void release_dst() {
  if constexpr (lightmetal::kernel::kIsPart) tile_regs_commit();
  tile_regs_release();
}
ALWI void release_dst(tt::DstMode mode) { release_dst(); }

// Waits for the hardware's instructions, which are done here.
ALWI void tensix_sync() {}

}  // namespace ckernel
