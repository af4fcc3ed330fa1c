#pragma once

#include "lightmetal/kernel.h"

// The next multiple of `alignment`, a power of two in the first.
FORCE_INLINE constexpr uint32_t align_power_of_2(uint32_t addr, uint32_t alignment) {
  return (addr + alignment - 1) & ~(alignment - 1);
}

FORCE_INLINE constexpr uint32_t align(uint32_t addr, uint32_t alignment) {
  return (addr + alignment - 1) / alignment * alignment;
}

FORCE_INLINE constexpr bool is_power_of_2(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }
