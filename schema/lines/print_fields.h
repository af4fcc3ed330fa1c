#pragma once

#include "absl/strings/string_view.h"
#include "schema/commands/walk.h"
#include "schema/show/json.h"

namespace lightmetal::schema {

// The plans that lines are printed and encoded by: they lead to every field.
const Plans& line_plans();

// Writes a text as its bytes are: as {"base64": TEXT} where they are no UTF-8.
void append_text(JsonWriter& json, absl::string_view text);

// Writes the fields of a table as an object from which encode_fields() makes the table again.
// Numbers that are absent are there with their defaults; everything else that is absent is left
// out. A number of an enumeration is its name, or the number where it has none; a digest is 32
// hexadecimal digits, a payload its digest and size.
// REQUIRES: the table is of the plan's type, and what decode_command() checks of a command holds
// for it.
void append_fields(JsonWriter& json, const Plan& plan, const flatbuffers::Table& table);

}  // namespace lightmetal::schema
