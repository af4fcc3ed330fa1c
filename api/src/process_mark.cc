#include "api/src/process_mark.h"

#include <pthread.h>

#include "api/src/errors.h"

namespace tt::tt_metal {
namespace {

std::atomic<uint64_t> g_forks = 0;

}  // namespace

uint64_t ProcessMark::forks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
  return g_forks.load(std::memory_order_relaxed);
}

void ProcessMark::check() const {
  if (is_here()) [[likely]]
    return;
  throw_if_error(absl::FailedPreconditionError(
      "The device was opened before this process was forked, and the threads that do its work are "
      "the parent's: open it in the process that uses it"));
}

}  // namespace tt::tt_metal
