#pragma once

#include <cstdint>
#include <thread>

namespace tt::stl {

// Tells the processor that a loop waits.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until predicate(args...) holds: after `spins` tries it lets other threads run in between.
template <uint32_t spins = 100, uint32_t max_wait_us = 16, typename Predicate, typename... Args>
void nice_spin_until(Predicate predicate, const Args&... args) {
  for (uint32_t tries = 0; !predicate(args...); ++tries) {
    if (tries < spins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
