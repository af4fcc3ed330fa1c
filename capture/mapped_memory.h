#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/digest.h"

namespace lightmetal::capture {

// A place in a file.
struct FilePlace {
  std::string path;
  uint64_t offset = 0;
};

// The place in a file of `data`, if all of it is mapped from one file, private or read-only.
// Nothing for a file that is also mapped as code. `maps` is the text of /proc/self/maps (proc(5)).
std::optional<FilePlace> find_mapping(absl::string_view maps, Bytes data);

}  // namespace lightmetal::capture
