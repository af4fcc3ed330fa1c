#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/reflection.h"
#include "schema/commands/forward.h"

namespace lightmetal::schema {

// A number that several calls have under one name, such as `cq` or `element_type`, for code that
// knows no command by name. Looked up in the schema once; immutable, so thread-safe.
class NamedField {
 public:
  explicit NamedField(absl::string_view name);

  // Whether the command's call has such a field.
  bool is_in(const Command& command) const { return field_of(command) != nullptr; }

  // Its value. Nothing when the call has no such field, or leaves it open. REQUIRES: the command
  // came from decode_command() (or a File).
  std::optional<uint64_t> value_in(const Command& command) const;

 private:
  const reflection::Field* field_of(const Command& command) const;

  std::vector<const reflection::Field*> fields_;  // by the number of the call
};

}  // namespace lightmetal::schema
