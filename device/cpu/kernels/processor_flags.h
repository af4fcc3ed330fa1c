#pragma once

#include <cstdint>

namespace lightmetal::device::cpu {

#if defined(__x86_64__)
inline constexpr uint64_t kAlignmentCheckFlag = uint64_t{1} << 18;
#endif

// The part of MXCSR that says how vectors calculate, with the value that a program begins with:
// results are rounded to nearest, numbers near 0 are kept, no exception traps.
inline constexpr uint32_t kVectorModeAtStart = 0x1f80;
// The control word of x87 with which a program begins.
inline constexpr uint16_t kX87ModeAtStart = 0x37f;

inline uint32_t vector_mode() {
#if defined(__x86_64__)
  constexpr uint32_t kWhatHasHappened = 0x3f;
  return __builtin_ia32_stmxcsr() & ~kWhatHasHappened;
#else
  return kVectorModeAtStart;
#endif
}

inline void set_vector_mode([[maybe_unused]] uint32_t mode) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(mode);
#endif
}

// Sets vectors and x87 to calculate as a kernel expects it when it begins, and as our code expects
// it behind a kernel. Leaves both alone where they are set so already, which is cheaper.
inline void reset_floating_point() {
  if (vector_mode() != kVectorModeAtStart) [[unlikely]]
    set_vector_mode(kVectorModeAtStart);
#if defined(__x86_64__)
  uint16_t mode = 0;
  asm volatile("fnstcw %0" : "=m"(mode));
  if (mode != kX87ModeAtStart) [[unlikely]] {
    // An exception that is not masked traps at the next instruction of x87 that waits, as fldcw
    // does; fnclex does not wait. In the mode at start all are masked and none can be pending.
    asm volatile("fnclex");
    asm volatile("fldcw %0" : : "m"(kX87ModeAtStart));
  }
#endif
}

// Marks the registers of x87, which MMX shares, as empty: a kernel may have left values there.
// REQUIRES: no exception is pending, as after reset_floating_point().
inline void empty_x87_registers() {
#if defined(__x86_64__)
  asm volatile("emms" : : : "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
#endif
}

// Clears two flags that a kernel may have set and that compilers take to be clear: the direction in
// which string instructions copy, and the check that accesses are aligned.
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
