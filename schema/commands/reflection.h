#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/reflection.h"

// The description of all that a file can hold as data: what flatc made of file.fbs and embedded.
// Whatever is derived from the schema reads it through here; what follows the bytes of a command,
// through the walk over it (walk.h).

namespace lightmetal::schema {

// Lives as long as the program.
const reflection::Schema& command_schema();

// A name without its namespaces.
absl::string_view short_name(const flatbuffers::String* name);

// A custom attribute of the field, or of the table or struct; null when it does not have it.
const reflection::KeyValue* attribute(const reflection::Field& field, const char* name);
const reflection::KeyValue* attribute(const reflection::Object& object, const char* name);

// In ascending order of id.
std::vector<const reflection::Field*> fields_of(const reflection::Object& object);

// The table or struct that `field`, or each element of it, is. REQUIRES: it is one.
const reflection::Object& object_of(const reflection::Field& field);

// The enumeration whose values `field` holds; null when it holds plain numbers or no numbers.
const reflection::Enum* enum_of(const reflection::Field& field);

// The table or struct that `value` of a union says; null for NONE and for what is no value of it.
const reflection::Object* union_member(const reflection::Enum& union_type, int64_t value);

// Null when `value` has no name.
const reflection::EnumVal* enum_value(const reflection::Enum& type, int64_t value);

// The field that holds which member of the union `field` is present.
const reflection::Field& union_type_field(const reflection::Object& object,
                                          const reflection::Field& field);

// Whether the schema says that this function of the host API throws the errors of what it waits
// for.
bool waits(absl::string_view function);

}  // namespace lightmetal::schema
