#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "device/backend_library.h"

namespace lightmetal::device {

// Loads the shared library `path`, which stays loaded, and looks at what it says of itself. The
// error is one sentence with `path`: there is no such file, it is no library, no backend, or one
// that was built with something else than this program. Thread-safe. The library's own code runs.
absl::StatusOr<const BackendLibrary*> load_library(const std::string& path);

}  // namespace lightmetal::device
