#pragma once

#include <cstdint>

namespace lightmetal::device::cpu {

#if defined(__x86_64__)
inline constexpr uint64_t kAlignmentCheckFlag = uint64_t{1} << 18;
#endif

// A kernel may have set what compilers take to be clear: the direction in which strings are copied,
// and that accesses must be aligned.
inline void reset_processor_flags() {
#if defined(__x86_64__)
  asm volatile("cld");
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  if ((flags & kAlignmentCheckFlag) != 0) [[unlikely]] {
    __builtin_ia32_writeeflags_u64(flags & ~kAlignmentCheckFlag);
  }
#endif
}

}  // namespace lightmetal::device::cpu
