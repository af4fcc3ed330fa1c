#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// Says what a file is and holds: format, producer, options, origin, devices, commands by name,
// payloads and kernels. Needs no device. The file need not be complete or verified; for an
// incomplete file, the text says what is missing.

// Lines for people, each with its line end.
absl::StatusOr<std::string> info_text(const File& file);

// One JSON object.
absl::StatusOr<std::string> info_json(const File& file);

}  // namespace lightmetal::schema
