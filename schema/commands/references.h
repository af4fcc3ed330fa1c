#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/commands/reference.h"

// What a command refers to (objects by id, payloads by content) and whether its enumerations and
// unions hold known values, for any command: derived once from the schema and its attributes
// (schema/types.fbs says what they mean).

namespace lightmetal::schema {

// All functions may be left as they are.
class ReferenceVisitor {
 public:
  virtual ~ReferenceVisitor() = default;

  virtual void on_id(const IdReference&) {}
  virtual void on_blob(const BlobReference&) {}
  // An enumeration or a union that says a member which the schema does not know, or a union that
  // says one and has none.
  virtual void on_bad_value(absl::string_view /*field*/, const std::string& /*what*/) {}
};

// Visits all references of the command in the order of its fields. Thread-safe.
// REQUIRES: the command came from decode_command (or a File).
void visit_references(const Command& command, ReferenceVisitor& visitor);

// The ids alone.
void visit_ids(const Command& command, absl::FunctionRef<void(const IdReference&)> visitor);

// The blobs alone.
void visit_blobs(const Command& command, absl::FunctionRef<void(const BlobReference&)> visitor);

}  // namespace lightmetal::schema
