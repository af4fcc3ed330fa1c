#pragma once

// Looking for a moment before one sleeps: a sleeping thread takes tens of microseconds to wake.
namespace lightmetal {

// Lets a processor that looks at memory in a loop do less.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether `condition()` holds within so many looks. They are few, microseconds in all, since others
// need the processors.
template <typename Condition>
bool becomes_true_soon(Condition condition, int looks = 200) {
  for (int look = 0; look < looks; ++look) {
    if (condition()) return true;
    pause_processor();
  }
  return false;
}

}  // namespace lightmetal
