#pragma once

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"

namespace tt::tt_metal {

// Remembers in which process an object was made. A child that was forked from that process has the
// object and none of the threads that do its work: a wait for those threads never ends, and locks
// that they held stay held. Cheap: one relaxed load.
class ProcessMark {
 public:
  ProcessMark() : forks_(count_forks()) {}

  // False in a child that was forked after the mark was made.
  bool is_here() const { return forks_ == so_far_.load(std::memory_order_relaxed); }
  // Returns FailedPrecondition in such a child, for whoever would use the object.
  absl::Status status() const { return is_here() ? absl::OkStatus() : refusal(); }
  // Throws std::runtime_error in such a child.
  void check() const {
    if (!is_here()) [[unlikely]]
      refuse();
  }

 private:
  // How many forks lie between the first process and this one, counted from the first call on.
  static uint64_t count_forks();
  static absl::Status refusal();
  static void refuse();

  // That number, for is_here().
  static constinit inline std::atomic<uint64_t> so_far_ = 0;

  const uint64_t forks_;
};

}  // namespace tt::tt_metal
