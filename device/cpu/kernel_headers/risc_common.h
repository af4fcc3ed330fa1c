#pragma once

// What kernels know of the processor that runs them.

#include "lightmetal/kernel.h"
#include "lightmetal/semaphores.h"  // invalidate_l1_cache, riscv_wait
#include "mod_div_lib.h"

// Ticks of the host's time stamp counter, which all processors share.
FORCE_INLINE uint64_t get_timestamp() {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return __builtin_readcyclecounter();
#endif
}

namespace ckernel {

// A load whose value is there before what follows; here loads are.
template <typename T>
FORCE_INLINE T load_blocking(volatile T* pointer) {
  return *pointer;
}

}  // namespace ckernel

namespace lightmetal::kernel {

// The halves of the wall clock as a register is read: through a pointer. They are read anew where a
// kernel names them and whenever a loop that reads memory lets others run.
inline uint32_t wall_clock[2];
inline void read_wall_clock() {
  const uint64_t now = get_timestamp();
  wall_clock[0] = static_cast<uint32_t>(now);
  wall_clock[1] = static_cast<uint32_t>(now >> 32);
}
inline volatile uint32_t* wall_clock_register(uint32_t half) {
  hooks().after_yield = read_wall_clock;
  read_wall_clock();
  keep_stores();
  return &wall_clock[half];
}

}  // namespace lightmetal::kernel

#define RISCV_DEBUG_REG_WALL_CLOCK_L (lightmetal::kernel::wall_clock_register(0))
#define RISCV_DEBUG_REG_WALL_CLOCK_H (lightmetal::kernel::wall_clock_register(1))

FORCE_INLINE uint32_t get_timestamp_32b() { return static_cast<uint32_t>(get_timestamp()); }
