#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// What a file is and holds: format, producer, options, origin, devices, commands by name, payloads
// and kernels. It works without a device and on incomplete files, and says what is missing from
// them; the file need not be verified.

// Lines for reading, each with its end.
absl::StatusOr<std::string> info_text(const File& file);

// One JSON object.
absl::StatusOr<std::string> info_json(const File& file);

}  // namespace lightmetal::schema
