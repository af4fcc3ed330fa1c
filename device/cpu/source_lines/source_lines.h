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

// The source line that a person wants to see for a kernel's stack: the innermost line that is not
// in a header of this device, where an inlined function counts like one that was called; else the
// innermost line that is known. `addresses` are relative to where the object is loaded, the
// innermost first. None when the object has no debug information, or other than our compiler makes.
//
// The object is not trusted. The function reads the debug information at each call, in little
// memory and in limited time, whatever the information says. Thread-safe.
std::optional<SourceLine> find_source_line(Bytes object, absl::Span<const uint64_t> addresses);

}  // namespace lightmetal::device::cpu
