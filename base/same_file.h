#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace lightmetal {

// True when both paths lead to one file; also when it does not exist yet.
inline bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(path, other, error)) return true;
  const std::filesystem::path found = std::filesystem::weakly_canonical(path, error);
  return !error && found == std::filesystem::weakly_canonical(other, error) && !error;
}

}  // namespace lightmetal
