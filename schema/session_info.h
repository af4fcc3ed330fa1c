#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schema/frame.h"

namespace lightmetal::schema {

// What a file says about itself. It holds nothing that differs between two captures of the same
// program, such as a time or a command line: equal captures give equal bytes.
struct SessionInfo {
  uint32_t version_major = kVersionMajor;
  uint32_t version_minor = kVersionMinor;
  std::string producer;
  std::vector<std::pair<std::string, std::string>> options;  // names and values

  friend bool operator==(const SessionInfo&, const SessionInfo&) = default;
};

}  // namespace lightmetal::schema
