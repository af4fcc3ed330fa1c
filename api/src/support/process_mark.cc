#include "api/src/support/process_mark.h"

#include <pthread.h>

#include "api/src/support/errors.h"

namespace tt::tt_metal {

uint64_t ProcessMark::count_forks() {
  // The first mark registers this. A fork before that needs no count, because no object has a mark
  // yet.
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { so_far_.fetch_add(1, std::memory_order_relaxed); });
  return so_far_.load(std::memory_order_relaxed);
}

absl::Status ProcessMark::refusal() {
  return absl::FailedPreconditionError(
      "The device was opened before this process was forked, and the threads that do its work are "
      "the parent's: open it in the process that uses it");
}

void ProcessMark::refuse() { throw_if_error(refusal()); }

}  // namespace tt::tt_metal
