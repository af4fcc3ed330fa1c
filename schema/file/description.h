#pragma once

#include <string>

namespace lightmetal::schema {

// Returns the schema as text: the version of the format, the types of frames, and every
// enumeration, struct and table that a frame can hold, with the numbers, types, defaults and
// attributes that make up the wire format. The order does not depend on the order of the source, so
// a change of the text is a change of the format; tests/golden/schema.txt holds the text.
std::string schema_description();

}  // namespace lightmetal::schema
