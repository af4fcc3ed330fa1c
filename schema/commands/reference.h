#pragma once

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"
#include "schema/object_ids.h"

namespace lightmetal::schema {

// An object of a file: its kind, and its id among the objects of that kind.
struct ObjectName {
  ObjectKind kind{};
  uint64_t id = 0;

  friend bool operator==(const ObjectName&, const ObjectName&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const ObjectName& name) {
    return Hash::combine(std::move(hash), name.kind, name.id);
  }
};

enum class IdRole { Creates, Uses, Destroys };

// What a command says of one object. `field` lives as long as the program.
struct IdReference {
  IdRole role = IdRole::Uses;
  ObjectKind kind{};
  uint64_t id = 0;
  absl::string_view field;  // the field's own name
  // The object's destruction also destroys what this command creates.
  bool owner = false;
  // A field of the call itself names the object, so there has to be one. An id inside a value that
  // the call carries may be 0 for no object; such zeros are not reported.
  bool direct = false;

  ObjectName object() const { return {kind, id}; }
};

// What a payload is to a replay (the attribute `payload` of schema/types.fbs): the machine code of
// a kernel, bytes that the replay writes to a device, or bytes that it compares with what it reads.
enum class PayloadRole { Kernel, Upload, Golden };

// What a command says of one payload. `name` refers to the command's bytes; `field` lives as long
// as the program.
struct BlobReference {
  const BlobRef& name;
  PayloadRole role;
  absl::string_view field;
};

}  // namespace lightmetal::schema
