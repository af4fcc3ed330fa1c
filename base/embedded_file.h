#pragma once

#include "absl/strings/string_view.h"

namespace lightmetal {

// A file that the build puts into a library or a program (cmake/EmbedFiles.cmake), so that it works
// wherever it is installed or moved to.
struct EmbeddedFile {
  absl::string_view name;  // the path below the folder from which the file comes
  absl::string_view content;
};

}  // namespace lightmetal
