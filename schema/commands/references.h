#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/commands/reference.h"

// Finds what a command refers to (objects by id, payloads by content), and whether its enumerations
// and unions hold known values, for any command. All of it is derived from the schema and its
// attributes (schema/types.fbs says what they mean).

namespace lightmetal::schema {

// Gets what visit_references() finds. Functions that a visitor does not override do nothing.
class ReferenceVisitor {
 public:
  virtual ~ReferenceVisitor() = default;

  virtual void on_id(const IdReference&) {}
  virtual void on_blob(const BlobReference&) {}
  // An enumeration or a union holds a number that the schema does not know, or a union names a
  // member that is missing. `what` says so, to follow the field's name in an error.
  virtual void on_bad_value(absl::string_view /*field*/, const std::string& /*what*/) {}
};

// Visits all references of the command in the order of its fields. Thread-safe. REQUIRES: the
// command came from decode_command() (or a File).
void visit_references(const Command& command, ReferenceVisitor& visitor);

// Visits only the ids.
void visit_ids(const Command& command, absl::FunctionRef<void(const IdReference&)> visitor);

// Visits only the blobs.
void visit_blobs(const Command& command, absl::FunctionRef<void(const BlobReference&)> visitor);

}  // namespace lightmetal::schema
