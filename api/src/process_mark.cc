#include "api/src/process_mark.h"

#include <pthread.h>

namespace tt::tt_metal {
namespace {

std::atomic<uint64_t> g_forks = 0;

}  // namespace

uint64_t ProcessMark::forks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
  return g_forks.load(std::memory_order_relaxed);
}

}  // namespace tt::tt_metal
