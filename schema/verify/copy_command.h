#pragma once

#include "absl/status/status.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

class Writer;

// Appends a command of the file to another one as it is, behind the payloads that it names.
absl::Status copy_command(const File& file, const CommandView& command, Writer& writer);

}  // namespace lightmetal::schema
