#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/commands/reference.h"
#include "schema/types_generated.h"

namespace lightmetal::schema {

// One value of a command, and where it stands in it.
struct Leaf {
  std::string path;                    // "args[2]", "config.total_size"
  std::string value;                   // as text
  std::optional<IdReference> id = {};  // it names an object, 0 excepted
  std::optional<BlobRef> blob = {};    // it names a payload
  bool is_place = false;               // a core, or a range of them
};

// All values of the command in the order of its fields: numbers, with the default of those that are
// absent, texts, cores, digests and payloads; the number of elements of each list, as a value of
// the list; and whether what may be absent is. Equal values are equal texts. REQUIRES: the command
// came from decode_command() (or a File).
std::vector<Leaf> leaves_of(const Command& command);

// What aligning commands needs to know of one.
struct CommandKey {
  uint64_t name = 0;     // of the call
  uint64_t content = 0;  // of all values but ids; payloads by their content
  std::vector<IdReference> ids;
};

// Keys are equal for equal values, within this process; unequal values have equal keys by chance
// alone. REQUIRES: as leaves_of().
CommandKey key_of(const Command& command);

}  // namespace lightmetal::schema
