#pragma once

#include <optional>

#include "base/digest.h"

namespace lightmetal::device::cpu {

// The parts of a kernel object's debug information (DWARF 5, sections 6.2 and 7), as bytes that lie
// in the object. A part that is missing is empty.
struct DebugSections {
  Bytes info;
  Bytes abbrev;
  Bytes addr;
  Bytes line;
  Bytes line_str;
  Bytes rnglists;
  Bytes str;
};

// None when the object is no 64-bit little-endian ELF image that makes sense, or when a section is
// compressed: a compressed section says itself how much memory it takes, and the object is not
// trusted.
std::optional<DebugSections> debug_sections_of(Bytes object);

}  // namespace lightmetal::device::cpu
