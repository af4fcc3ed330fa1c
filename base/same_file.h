#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "base/absolute_path.h"

namespace lightmetal {

// True when both paths lead to one file, which need not exist yet.
inline bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(path, other, error)) return true;
  // Absolute first: weakly_canonical leaves the name of a new file as it is.
  const auto place_of = [&error](const std::string& file) {
    return std::filesystem::weakly_canonical(absolute_path(file), error);
  };
  const std::filesystem::path place = place_of(path);
  return !error && place == place_of(other) && !error;
}

}  // namespace lightmetal
