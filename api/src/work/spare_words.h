#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/mutex.h"

namespace tt::tt_metal {

// Memory for the arguments of launches, which those that are done leave to those that come: a queue
// that launches the same again allocates nothing for it. It keeps as much as was once in use at the
// same time. Thread-safe.
class SpareWords {
 public:
  // Without words, and with room for some if there is any.
  std::vector<uint32_t> take() ABSL_LOCKS_EXCLUDED(mutex_) {
    lightmetal::MutexLock lock(&mutex_);
    if (spare_.empty()) return {};
    std::vector<uint32_t> words = std::move(spare_.back());
    spare_.pop_back();
    return words;
  }
  void give_back(std::vector<uint32_t> words) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (words.capacity() == 0) return;
    words.clear();
    lightmetal::MutexLock lock(&mutex_);
    spare_.push_back(std::move(words));
  }

 private:
  lightmetal::Mutex mutex_;
  std::vector<std::vector<uint32_t>> spare_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tt::tt_metal
