#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "device/backend_library.h"

namespace lightmetal::device {

// Loads the shared library `path` and checks what the library says of itself (backend_library.h).
// The library stays loaded until the process ends, also when it is refused, and its own code runs
// at once. The error is one sentence with `path`: there is no such file, the file is no shared
// library, the library is no backend, or it was built with something other than this program.
// Thread-safe.
absl::StatusOr<const BackendLibrary*> load_library(const std::string& path);

}  // namespace lightmetal::device
