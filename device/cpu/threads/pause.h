#pragma once

namespace lightmetal::device::cpu {

// Lets a processor that looks at memory in a loop do less.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace lightmetal::device::cpu
