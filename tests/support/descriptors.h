#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace lightmetal::testing {

// Closes every descriptor of this process that leads to the file, as a program does that closes
// what it does not know.
inline void close_descriptors_of(const std::string& path) {
  const std::filesystem::path wanted = std::filesystem::canonical(path);
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) != wanted) continue;
    found.push_back(std::stoi(entry.path().filename()));
  }
  for (const int file : found) close(file);
}

}  // namespace lightmetal::testing
