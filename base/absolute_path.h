#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace lightmetal {

// The path as it is now: a program may change its folder. `path` itself where that cannot be told.
inline std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::absolute(path, error);
  return error ? path : found.string();
}

}  // namespace lightmetal
