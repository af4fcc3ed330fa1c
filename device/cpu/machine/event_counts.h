#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

namespace lightmetal::device::cpu {

// How often the kernels of a device passed their profiler zones and watcher calls. Made only when
// LIGHTMETAL_CPU_DEVICE_EVENTS names a file, to which the counts are written when this goes: lines
// of CSV, kernel,event,name,count, under a line with these names. A process empties the file when
// it first opens it; its later devices append. Thread-safe.
class EventCounts {
 public:
  // Null when nothing is to be counted. An error when the file cannot be written.
  static absl::StatusOr<std::unique_ptr<EventCounts>> from_environment();
  ~EventCounts();

  void add(absl::string_view kernel, kernel_abi::Event event, absl::string_view name);

 private:
  using Key = std::tuple<std::string, kernel_abi::Event, std::string>;

  EventCounts(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string csv();

  const std::string path_;
  const int descriptor_;
  Mutex mutex_;
  std::map<Key, uint64_t, std::less<>> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace lightmetal::device::cpu
