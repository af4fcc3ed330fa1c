#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/reflection.h"

// The description of everything that a file can hold, as data: what flatc makes of file.fbs,
// embedded in the program. Code that derives something from the schema reads it through these
// functions; code that follows the bytes of a command does it through a walk (walk.h). All
// functions are thread-safe, and what they return lives as long as the program.

namespace lightmetal::schema {

// The whole schema.
const reflection::Schema& command_schema();

// A name without its namespaces.
absl::string_view short_name(const flatbuffers::String* name);

// A custom attribute of the field, or of the table or struct; null when it has no such attribute.
const reflection::KeyValue* attribute(const reflection::Field& field, const char* name);
const reflection::KeyValue* attribute(const reflection::Object& object, const char* name);

// The fields in ascending order of id, which is the order in which they were declared. (The schema
// itself sorts them by name.)
std::vector<const reflection::Field*> fields_of(const reflection::Object& object);

// The table or struct that `field`, or each element of it, is. REQUIRES: the field is of such a
// type.
const reflection::Object& object_of(const reflection::Field& field);

// The enumeration or union whose values `field` holds; null when the field holds plain numbers,
// tables, structs or text.
const reflection::Enum* enum_of(const reflection::Field& field);

// The table or struct that member number `value` of a union is; null for NONE and for a number that
// is no member.
const reflection::Object* union_member(const reflection::Enum& union_type, int64_t value);

// The entry of `value`; null when no entry has it.
const reflection::EnumVal* enum_value(const reflection::Enum& type, int64_t value);

// The field that says which member the union `field` holds.
const reflection::Field& union_type_field(const reflection::Object& object,
                                          const reflection::Field& field);

// Whether the schema says that this function of the host API throws the errors of the work that it
// waits for.
bool waits(absl::string_view function);

}  // namespace lightmetal::schema
