#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

// Says what a file is and holds: format, producer, options, origin, what it needs from outside,
// devices and the memory that its calls take there, commands by name, payloads, goldens, kernels,
// traces, and what its bytes are. Needs no device. The file need not be complete or verified; for
// an incomplete file, the text says what is missing, and for one whose commands make no sense, how
// far its memory could be followed. The memory that this takes does not grow with the number of
// commands, but with that of objects, payloads and what else is listed.

// Lines for people, each with its line end.
absl::StatusOr<std::string> info_text(const File& file);

// One JSON object: docs/info.schema.json describes it.
absl::StatusOr<std::string> info_json(const File& file);

}  // namespace lightmetal::schema
