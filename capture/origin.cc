#include "capture/origin.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace lightmetal::capture {
namespace {

std::string program_path() {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return path;
}

// The arguments of the process; in /proc each of them ends with a zero byte.
std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.empty()) return {};
  return absl::StrSplit(absl::StripSuffix(text, absl::string_view("\0", 1)), '\0');
}

std::vector<std::string> names_to_record() {
  const char* names = std::getenv("LIGHTMETAL_CAPTURE_ENVIRONMENT");
  return absl::StrSplit(names == nullptr ? "" : names, ',', absl::SkipEmpty());
}

std::vector<std::pair<std::string, std::string>> chosen_environment() {
  const std::vector<std::string> names = names_to_record();
  std::vector<std::pair<std::string, std::string>> chosen;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> variable =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    if (absl::StartsWith(variable.first, "LIGHTMETAL_") ||
        std::find(names.begin(), names.end(), variable.first) != names.end()) {
      chosen.push_back(variable);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

schema::OriginInfo origin_of_process() {
  schema::OriginInfo origin;
  origin.build = LIGHTMETAL_BUILD;
  origin.program = program_path();
  origin.arguments = command_line();
  origin.environment = chosen_environment();
  origin.time = static_cast<int64_t>(std::time(nullptr));
  origin.process_id = static_cast<uint32_t>(::getpid());
  origin.machine = this_machine();
  return origin;
}

}  // namespace lightmetal::capture
