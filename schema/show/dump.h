#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "schema/file/reader.h"
#include "schema/show/command_filter.h"

namespace lightmetal::schema {

enum class DumpFormat {
  Text,      // number, name and what is set, with names of objects: for reading, and may change
  JsonLines  // {"command", "offset", "name", "fields"} with every field: for programs
};

struct DumpOptions {
  DumpFormat format = DumpFormat::Text;
  uint64_t first = 0;                                    // number of the first command
  uint64_t last = std::numeric_limits<uint64_t>::max();  // one behind the last
  size_t max_items = 12;                                 // of a list in a text
  CommandFilter filter = {};                             // of the commands in the range
  // Says what the payloads hold (schema/show/values.h): in a text, in lines of their own behind the
  // command's; in JSON, as "values". Of `element_type` where it is given, whatever a command says.
  bool values = false;
  std::optional<ElementType> element_type = {};
};

// Calls `line` with one line (in a text, with more behind it for values), without a line end, for
// each command in the range that fits the filter and, when the range reaches the last command and
// nothing is filtered, for each call that was announced and did not return (schema/show/intents.h).
// Stops at the first error, whether the file's or `line`'s. The file need not be verified: whatever
// can be read is shown.
absl::Status dump(const File& file, const DumpOptions& options,
                  absl::FunctionRef<absl::Status(absl::string_view)> line);

}  // namespace lightmetal::schema
