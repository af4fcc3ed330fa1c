#include "device/cpu/machine/event_counts.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/write_all.h"
#include "device/cpu/machine/appended_file.h"

namespace lightmetal::device::cpu {
namespace {

constexpr char kVariable[] = "LIGHTMETAL_CPU_DEVICE_EVENTS";
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
  }
  return "unknown";
}

// A field as RFC 4180 defines it: in quotes where that is necessary, with quotes inside doubled.
std::string csv_field(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

bool write_text(int file, absl::string_view text) {
  return write_all(file, bytes_of(text.data(), text.size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventCounts>> EventCounts::from_environment() {
  const char* path = std::getenv(kVariable);
  if (path == nullptr || *path == '\0') return nullptr;
  const auto [descriptor, is_new] = open_appended_file(path);
  if (descriptor < 0 || (is_new && !write_text(descriptor, kHeading))) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", kVariable, "=", path));
  }
  return std::unique_ptr<EventCounts>(new EventCounts(path, descriptor));
}

// A destructor has nobody to return an error to, and counts that are lost in silence would mislead.
EventCounts::~EventCounts() {
  if (!write_text(descriptor_, csv())) {
    std::fprintf(stderr, "cannot write %s=%s: %s\n", kVariable, path_.c_str(),
                 std::strerror(errno));
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
