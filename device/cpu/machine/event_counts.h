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

// Counts how often the kernels of a device pass their profiler zones and watcher calls. A device
// has counts only when LIGHTMETAL_CPU_DEVICE_EVENTS names a file. The destructor writes the counts
// to this file as lines of CSV: kernel,event,name,count, under a line with these four names. A
// process empties the file when it first opens it, and its later devices append (appended_file.h).
// Thread-safe.
class EventCounts {
 public:
  // Null when the environment names no file. An error of the system when the file cannot be opened,
  // or takes no heading.
  static absl::StatusOr<std::unique_ptr<EventCounts>> from_environment();
  ~EventCounts();

  // Counts one event. `kernel` is a kernel's name, `name` that of the zone or the call.
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
