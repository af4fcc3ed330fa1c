#include "api/src/devices/profiler_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "api/src/devices/device_impl.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/zone_marks.h"

namespace tt::tt_metal::profiler_file {
namespace {

using lightmetal::zone_marks::Mark;

// Each process begins the file, and then appends.
struct File {
  std::string folder;
  bool is_begun = false;
  std::string unwritten = {};  // lines that a write failed to add
};

constinit lightmetal::Mutex g_mutex;
File& file() ABSL_EXCLUSIVE_LOCKS_REQUIRED(g_mutex) {
  static auto& file = *new File;
  return file;
}

std::filesystem::path folder_at_the_beginning() {
  const char* home = std::getenv("TT_METAL_HOME");
  return std::filesystem::path(home == nullptr ? "" : home) / "generated/profiler/.logs";
}

// A number of 16 bits for the zone. That of its end is the one of its beginning and 65536.
uint32_t timer_of(const Mark& mark) {
  const auto number = static_cast<uint16_t>(std::hash<std::string>{}(mark.kernel + mark.zone));
  return number + (mark.begins ? 0u : 65536u);
}

// The column separator in a name would make two columns of it.
std::string column(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

// The device's clock has get_clock_rate_mhz() cycles in each microsecond.
std::string line_of(const Mark& mark, const IDevice& device) {
  const auto cycles = mark.time * device.get_clock_rate_mhz() / 1000;
  return absl::StrCat(mark.chip, ",", mark.core.x, ",", mark.core.y, ",", mark.processor, ",",
                      timer_of(mark), ",", cycles, ",0,0,", column(mark.zone), ",",
                      mark.begins ? "begin" : "end", ",0,", column(mark.kernel), "\n");
}

std::string heading(const IDevice& device) {
  return absl::StrCat("ARCH: ", impl_of(device).profile().arch,
                      ", CHIP_FREQ[MHz]: ", device.get_clock_rate_mhz(), "\n",
                      "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                      "reset], stat value, Run ID, zone name, zone phase, source line, source "
                      "file\n");
}

absl::Status append(const std::filesystem::path& folder, bool begins, const std::string& text) {
  std::error_code ignored;  // a folder that cannot be made is one that the file cannot be made in
  std::filesystem::create_directories(folder, ignored);
  const std::filesystem::path path = folder / "profile_log_device.csv";
  std::ofstream out(path, begins ? std::ios::trunc : std::ios::app);
  out << text << std::flush;
  if (out.good()) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("Cannot write the profile ", path.string()));
}

}  // namespace

void set_folder(const std::string& folder) {
  lightmetal::MutexLock lock(&g_mutex);
  file() = {.folder = folder};
}

void begin_again() {
  lightmetal::MutexLock lock(&g_mutex);
  file().is_begun = false;
}

absl::Status write(const IDevice& device) {
  const std::vector<Mark> marks = lightmetal::zone_marks::take(device.id());
  if (marks.empty()) return absl::OkStatus();
  lightmetal::MutexLock lock(&g_mutex);
  const bool begins = !file().is_begun;
  std::string& lines = file().unwritten;
  for (const Mark& mark : marks) lines += line_of(mark, device);
  const std::filesystem::path given = file().folder;
  const auto folder = given.empty() ? folder_at_the_beginning() : given;
  LM_RETURN_IF_ERROR(append(folder, begins, begins ? heading(device) + lines : lines));
  file().is_begun = true;
  lines.clear();
  return absl::OkStatus();
}

}  // namespace tt::tt_metal::profiler_file
