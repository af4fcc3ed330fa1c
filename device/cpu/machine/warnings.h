#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"

namespace lightmetal::device::cpu {

// The warnings of one device about what kernels do that hardware lets pass, though hardly anybody
// means it. Each is given once while the device is open. A check of LIGHTMETAL_CPU_DEVICE_CHECKS
// makes the same misuse an error. Thread-safe.
class Warnings {
 public:
  // Whether `key`, which says what was done and where, comes for the first time. Remembers it.
  bool is_new(std::string key);

  // Writes one whole line to the standard error: `text`, the name of the check that would make it
  // an error, and `place`, which is " (at reader.cpp:12)" or empty.
  void show(absl::string_view text, absl::string_view check, absl::string_view place);

 private:
  Mutex mutex_;
  absl::flat_hash_set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
