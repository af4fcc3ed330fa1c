#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <tt-metalium/logger.hpp>

#include "base/output_variable.h"

namespace tt::logger {
namespace {

constexpr std::array<std::string_view, 6> kLevelNames = {"Trace",   "Debug", "Info",
                                                         "Warning", "Error", "Fatal"};
constexpr std::array<std::string_view, 18> kTypeNames = {
    "Always",          "Test",         "Timer",      "Device",
    "Model",           "LLRuntime",    "Loader",     "IR",
    "BuildKernels",    "Verif",        "Op",         "Dispatch",
    "Fabric",          "Metal",        "MetalTrace", "Distributed",
    "EmulationDriver", "SiliconDriver"};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) !=
        std::tolower(static_cast<unsigned char>(b[i])))
      return false;
  }
  return true;
}

Level level_from_environment() {
  const char* name = std::getenv("TT_LOGGER_LEVEL");
  for (size_t i = 0; name != nullptr && i < kLevelNames.size(); ++i) {
    if (equal_ignoring_case(name, kLevelNames[i])) return static_cast<Level>(i);
  }
  return Level::Info;
}

// The stream of the log. Never closed, because lines may be written to the very end of the process.
FILE* stream_from_environment() {
  const std::string path = lightmetal::value_of(lightmetal::Output::kLog);
  FILE* file = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
  return file != nullptr ? file : stdout;
}

}  // namespace

bool shows(Level level) {
  static const Level lowest = level_from_environment();
  return level >= lowest;
}

void write(Level level, LogType type, std::string_view message) {
  static FILE* const stream = stream_from_environment();
  const std::string_view type_name =
      type < kTypeNames.size() ? kTypeNames[type] : kTypeNames[LogAlways];
  const std::string line = fmt::format("{:>7} | {:>12} | {}\n",
                                       kLevelNames[static_cast<size_t>(level)], type_name, message);
  std::fwrite(line.data(), 1, line.size(), stream);  // locks the stream: a line is written whole
  std::fflush(stream);
}

}  // namespace tt::logger
