#pragma once

#include <unistd.h>

#include <atomic>

namespace tt::tt_metal {

namespace internal {
inline constinit std::atomic<bool> g_process_ends = false;
inline thread_local constinit bool t_ends_process = false;
}  // namespace internal

// Notes that the process ends. REQUIRES: it is called on the thread that ends the process: the one
// that has called exit() or returned from main().
inline void begin_process_end() {
  internal::t_ends_process = true;
  internal::g_process_ends.store(true, std::memory_order_release);
}

inline bool process_ends() { return internal::g_process_ends.load(std::memory_order_acquire); }

// Never returns on another thread than that one while the process ends; else it does nothing. For
// whoever is about to tell the program of an error: devices are closed as the process ends, and an
// exception that nobody catches would change the exit code that the program has chosen. REQUIRES:
// this thread holds no lock that the end of the process needs.
inline void wait_if_process_ends() {
  if (!process_ends() || internal::t_ends_process) return;
  while (true) ::pause();
}

}  // namespace tt::tt_metal
