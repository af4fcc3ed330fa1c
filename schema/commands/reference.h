#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"

namespace lightmetal::schema {

enum class IdRole { Creates, Uses, Destroys };

// What a command says of one object. The texts live as long as the program.
struct IdReference {
  IdRole role = IdRole::Uses;
  uint16_t kind_index = 0;  // dense, for tables by kind; differs between versions of the schema
  absl::string_view kind;   // "Buffer"
  uint64_t id = 0;
  absl::string_view field;  // the field's own name
  // The object's destruction also destroys what this command creates.
  bool owner = false;
  // The call itself names the object, so that there has to be one. An id inside a value that the
  // call carries may be 0 for none; such zeros are not reported.
  bool direct = false;
};

// What a payload is to a replay (the attribute `payload` of schema/types.fbs).
enum class PayloadRole { Kernel, Upload, Golden };

// What a command says of one payload. The name lies in the command's bytes; `field` lives as long
// as the program.
struct BlobReference {
  const BlobRef& name;
  PayloadRole role;
  absl::string_view field;
};

}  // namespace lightmetal::schema
