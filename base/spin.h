#pragma once

// Looking at a condition for a moment before sleeping: a sleeping thread takes tens of microseconds
// to wake.
namespace lightmetal {

// Tells the processor that it looks at memory in a loop, so that it leaves more to others
// meanwhile.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns whether `condition()` holds within `looks` looks. By default they take microseconds in
// all, since other threads need the processors. A caller for whom it returns false sleeps.
template <typename Condition>
bool becomes_true_soon(Condition condition, int looks = 200) {
  for (int look = 0; look < looks; ++look) {
    if (condition()) return true;
    pause_processor();
  }
  return false;
}

}  // namespace lightmetal
