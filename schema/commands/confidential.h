#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lightmetal::schema {

// Empties every text of a command that the schema calls confidential (schema/types.fbs), and
// overwrites the text's bytes with zeros. Returns how many texts were not empty. Changes no other
// byte of the command, and not its size. REQUIRES: the bytes are what finish_command() or
// encode_command() has made of a command, so that its parts share nothing. What decode_command()
// accepts is not enough: there, a text may lie over bytes by which the command is read.
uint64_t erase_confidential(std::vector<std::byte>& command);

}  // namespace lightmetal::schema
