#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lightmetal::schema {

// Empties every text of a command that the schema calls confidential (schema/types.fbs), and
// overwrites the text's bytes with zeros. Returns how many texts were not empty. Changes no other
// byte of a command whose parts share nothing, and the size of none. REQUIRES: the bytes are what
// decode_command() accepts.
uint64_t erase_confidential(std::vector<std::byte>& command);

}  // namespace lightmetal::schema
