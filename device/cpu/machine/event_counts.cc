#include "device/cpu/machine/event_counts.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/output_variable.h"
#include "base/write_all.h"
#include "device/cpu/machine/appended_file.h"

namespace lightmetal::device::cpu {
namespace {

constexpr char kHeading[] = "kernel,event,name,count\n";

const char* event_name(kernel_abi::Event event) {
  switch (event) {
    case kernel_abi::Event::kProfilerZone:
      return "profiler_zone";
    case kernel_abi::Event::kWatcher:
      return "watcher";
    case kernel_abi::Event::kProfilerData:
      return "profiler_data";
    case kernel_abi::Event::kProfilerEvent:
      return "profiler_event";
    case kernel_abi::Event::kProfilerZoneEnd:
      return "profiler_zone_end";
  }
  return "unknown";
}

// A field as RFC 4180 defines it: in quotes where that is necessary, with quotes inside doubled.
std::string csv_field(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventCounts>> EventCounts::from_environment() {
  const std::string path = value_of(Output::kKernelEvents);
  if (path.empty()) return nullptr;
  const int descriptor = open_appended_file(Output::kKernelEvents, kHeading);
  if (descriptor >= 0) return std::unique_ptr<EventCounts>(new EventCounts(path, descriptor));
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write ", variable_of(Output::kKernelEvents), "=", path));
}

// A destructor has nobody to return an error to, and counts that are lost in silence would mislead.
EventCounts::~EventCounts() {
  const std::string lines = csv();
  if (!write_all(descriptor_, bytes_of(lines.data(), lines.size()))) {
    std::fprintf(stderr, "cannot write %s=%s: %s\n", variable_of(Output::kKernelEvents),
                 path_.c_str(), std::strerror(errno));
  }
  close(descriptor_);
}

void EventCounts::add(absl::string_view kernel, kernel_abi::Event event, absl::string_view name) {
  MutexLock lock(&mutex_);
  ++counts_[Key(kernel, event, name)];
}

std::string EventCounts::csv() {
  MutexLock lock(&mutex_);
  std::string lines;
  for (const auto& [key, count] : counts_) {
    const auto& [kernel, event, name] = key;
    absl::StrAppend(&lines, csv_field(kernel), ",", event_name(event), ",", csv_field(name), ",",
                    count, "\n");
  }
  return lines;
}

}  // namespace lightmetal::device::cpu
