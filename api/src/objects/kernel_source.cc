#include "api/src/objects/kernel_source.h"

#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tt-metalium/assert.hpp>
#include <vector>

namespace tt::tt_metal {
namespace {

namespace fs = std::filesystem;

constexpr char kHomeVariable[] = "TT_METAL_HOME";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Where kernels' paths begin, as seen from TT_METAL_HOME, which may be upstream's tree, the ttnn
// Python package or the folder around it. The package has its sources in `cpp` or in `ttnn/cpp`.
constexpr const char* kHomeFolders[] = {"", "ttnn", "cpp", "ttnn/cpp", "ttnn/ttnn/cpp", ".."};

// Where the file may lie, in the order in which it is looked for. An absolute path may be meant
// relative to a folder, too: programs that write one slash too many in front work upstream.
std::vector<fs::path> places_of(const fs::path& path) {
  std::vector<fs::path> places = {path.is_absolute() ? path : fs::current_path() / path};
  const auto add = [&](const char* variable, const char* folder) {
    if (is_set(variable))
      places.push_back(fs::path(std::getenv(variable)) / folder / path.relative_path());
  };
  for (const char* folder : kHomeFolders) add(kHomeVariable, folder);
  add("TT_METAL_KERNEL_PATH", "");
  return places;
}

fs::path find(const std::string& path) {
  const std::vector<fs::path> places = places_of(path);
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) return place;
    // A pipe would block the program here.
    TT_FATAL(!fs::exists(place, ignored) || fs::is_directory(place, ignored),
             "Kernel file {} is no regular file", place.string());
  }
  std::vector<std::string> names;
  for (const fs::path& place : places) names.push_back(place.string());
  TT_THROW("Kernel file {} does not exist: looked at {}{}", path, fmt::join(names, ", "),
           is_set(kHomeVariable) ? "" : " (TT_METAL_HOME is not set)");
}

}  // namespace

KernelText read_kernel_file(const std::string& path) {
  const fs::path file = find(path);
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  TT_FATAL(in && !in.bad(), "Kernel file {} cannot be read", file.string());
  return {.path = path, .directory = file.parent_path().string(), .text = std::move(text)};
}

}  // namespace tt::tt_metal
