#pragma once

#include <atomic>
#include <cstdint>

namespace tt::tt_metal {

// Which process an object was made in. A child that was forked from it has the object and none of
// the threads that do its work: what waits for them waits for ever, and their locks stay held.
class ProcessMark {
 public:
  ProcessMark() : forks_(count_forks()) {}

  // False in a child that was forked since.
  bool is_here() const { return forks_ == so_far_.load(std::memory_order_relaxed); }
  // Throws std::runtime_error there, for whoever would use the object.
  void check() const {
    if (!is_here()) [[unlikely]]
      refuse();
  }

 private:
  // From the first call on.
  static uint64_t count_forks();
  static void refuse();

  // Between this process and the one that began.
  static constinit inline std::atomic<uint64_t> so_far_ = 0;

  const uint64_t forks_;
};

}  // namespace tt::tt_metal
