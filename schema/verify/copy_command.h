#pragma once

#include "absl/status/status.h"
#include "schema/file/reader.h"

namespace lightmetal::schema {

class Writer;

// Appends a command of the file to another one as it is, behind the payloads that it names. These
// keep the form that they have, unless `compresses`: then those that lie in the file as they are
// get the form that the writer gives to new ones.
absl::Status copy_command(const File& file, const CommandView& command, Writer& writer,
                          bool compresses = false);

}  // namespace lightmetal::schema
