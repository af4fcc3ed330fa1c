#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "schema/forward.h"

// What a command refers to (objects by id, payloads by content) and whether its enumerations and
// unions hold known values, for any command: derived once from the schema and its attributes
// (schema/types.fbs says what they mean).

namespace lightmetal::schema {

enum class IdRole { Creates, Uses, Destroys };

struct IdReference {
  IdRole role = IdRole::Uses;
  uint16_t kind_index = 0;  // dense, for tables by kind; differs between versions of the schema
  absl::string_view kind;   // "Buffer"; lives as long as the program
  uint64_t id = 0;
  absl::string_view field;  // the field's own name; lives as long as the program
  // The object's destruction also destroys what this command creates.
  bool owner = false;
  // The call itself names the object, so that there has to be one. An id inside a value that the
  // call carries may be 0 for none; such zeros are not reported.
  bool direct = false;
};

// All functions may be left as they are.
class ReferenceVisitor {
 public:
  virtual ~ReferenceVisitor() = default;

  virtual void on_id(const IdReference&) {}
  virtual void on_blob(const BlobRef&, absl::string_view /*field*/) {}
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
void visit_blobs(const Command& command,
                 absl::FunctionRef<void(const BlobRef&, absl::string_view field)> visitor);

}  // namespace lightmetal::schema
