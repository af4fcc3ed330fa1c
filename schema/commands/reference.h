#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "schema/commands/forward.h"

namespace lightmetal::schema {

enum class IdRole { Creates, Uses, Destroys };

// What a command says of one object. The texts belong to the schema and live as long as the
// program.
struct IdReference {
  IdRole role = IdRole::Uses;
  uint16_t kind_index = 0;  // counts from 0, for tables by kind; no part of any file
  absl::string_view kind;   // "Buffer"
  uint64_t id = 0;
  absl::string_view field;  // the field's own name
  // The object's destruction also destroys what this command creates.
  bool owner = false;
  // A field of the call itself names the object, so there has to be one. An id inside a value that
  // the call carries may be 0 for no object; such zeros are not reported.
  bool direct = false;
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
