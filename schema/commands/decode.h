#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/digest.h"
#include "schema/commands/forward.h"

namespace lightmetal::schema {

// Checks that `bytes` are one size-prefixed FlatBuffer of a command, whole and safe to read; that
// its call is known here and present with its required fields; and, except in small commands, that
// its parts, counted as often as they are named, have together no more than its bytes
// (schema/commands/reach.h), so that objects made of them are no larger. Fields that are not
// required may be null: a reader takes an absent string or vector for an empty one. DataLoss says
// what is wrong; Unimplemented that the call is not known. What ids, enumerations and blob
// references mean is for verify() to check. The result points into `bytes`. Thread-safe.
absl::StatusOr<const Command*> decode_command(Bytes bytes);

// "EnqueueProgram". REQUIRES: the command came from decode_command.
absl::string_view name_of(const Command& command);

}  // namespace lightmetal::schema
