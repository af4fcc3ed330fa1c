#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "base/digest.h"

namespace lightmetal::device::cpu {

struct SourceLine {
  std::string file;  // as the kernel's debug information names it
  uint32_t line = 0;
};

// The source line of a kernel that a person wants to see for a stack: the innermost one that is not
// in a header of this device, looking through inlined functions; else the innermost one that is
// known. `addresses` are relative to where the object is loaded, the innermost first. Nothing when
// the object has no debug information, or other than our compiler makes. Reads that
// information each time, in little memory and limited time whatever it says. Thread-safe.
std::optional<SourceLine> find_source_line(Bytes object, absl::Span<const uint64_t> addresses);

}  // namespace lightmetal::device::cpu
