#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lightmetal::schema {

// Empties all text of a command that the schema calls confidential (schema/types.fbs), and
// overwrites its bytes with zeros. Returns how many texts had anything to say. REQUIRES: the bytes
// are what decode_command accepts.
uint64_t erase_confidential(std::vector<std::byte>& command);

}  // namespace lightmetal::schema
