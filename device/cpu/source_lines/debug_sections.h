#pragma once

#include <optional>

#include "base/digest.h"

namespace lightmetal::device::cpu {

// The parts of a kernel object's debug information (DWARF 5, sections 7 and 6.2), plain bytes that
// lie in the object. One that is not there is empty.
struct DebugSections {
  Bytes info;
  Bytes abbrev;
  Bytes addr;
  Bytes line;
  Bytes line_str;
  Bytes rnglists;
  Bytes str;
};

// Nothing when the object is no 64-bit little-endian ELF image that makes sense, or has sections
// that are compressed: those would take memory by their own word.
std::optional<DebugSections> debug_sections_of(Bytes object);

}  // namespace lightmetal::device::cpu
