#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace lightmetal {

// Returns the path as an absolute one: a program may change its folder later. Returns `path` itself
// where the system does not tell the current folder. Never fails; follows no links.
inline std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::absolute(path, error);
  return error ? path : found.string();
}

}  // namespace lightmetal
