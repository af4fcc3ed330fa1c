#pragma once

// What kernels know of the processor that runs them.

#include "lightmetal/kernel.h"
#include "lightmetal/semaphores.h"  // invalidate_l1_cache, riscv_wait

// Ticks of the host's time stamp counter, which all processors share.
FORCE_INLINE uint64_t get_timestamp() {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return __builtin_readcyclecounter();
#endif
}

FORCE_INLINE uint32_t get_timestamp_32b() { return static_cast<uint32_t>(get_timestamp()); }
