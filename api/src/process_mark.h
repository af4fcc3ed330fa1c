#pragma once

#include <atomic>
#include <cstdint>

namespace tt::tt_metal {

// Which process an object was made in. A child that was forked from it has the object and none of
// the threads that do its work: what waits for them waits for ever, and their locks stay held.
class ProcessMark {
 public:
  ProcessMark() : forks_(forks()) {}

  // False in a child that was forked since.
  bool is_here() const { return forks_ == forks(); }
  // Throws std::runtime_error there, for whoever would use the object.
  void check() const;

 private:
  // Between this process and the one that began.
  static uint64_t forks();

  const uint64_t forks_;
};

}  // namespace tt::tt_metal
