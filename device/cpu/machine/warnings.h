#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"

namespace lightmetal::device::cpu {

// What was warned about since a device was opened: of what hardware lets pass though it is hardly
// meant. A check of LIGHTMETAL_CPU_DEVICE_CHECKS makes it an error. Thread-safe.
class Warnings {
 public:
  // Whether `key` is new. It says what was done and where.
  bool is_new(std::string key);

  // Writes one line on the standard error, at once: `text`, the check's name, and `place`, " (at
  // reader.cpp:12)" or nothing.
  void show(absl::string_view text, absl::string_view check, absl::string_view place);

 private:
  Mutex mutex_;
  absl::flat_hash_set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
