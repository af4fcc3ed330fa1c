#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "schema/commands/forward.h"

namespace lightmetal::schema {

// Checks that `bytes` are one size-prefixed FlatBuffer of a command, whole and safe to read, whose
// call is known here and present with its required fields, and whose parts lie in different places,
// so that what is made of them is no larger than they are. What is not required may be null: a
// reader takes an absent string or vector for an empty one. Unimplemented when the call is not
// known. The meaning of ids, enumerations and blob references is verify()'s. The result points into
// `bytes`.
absl::StatusOr<const Command*> decode_command(Bytes bytes);

// "EnqueueProgram". REQUIRES: the command came from decode_command.
absl::string_view name_of(const Command& command);

}  // namespace lightmetal::schema
