#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/digest.h"

namespace lightmetal::schema {

// The kernel object without what no loader reads: debug information, symbol and section tables, and
// whatever else lies outside of its segments. Paths and names of source files are there and nowhere
// else, but for texts that the kernel itself prints. Nothing when `object` is no 64-bit
// little-endian ELF image that makes sense.
std::optional<std::vector<std::byte>> without_debug_information(Bytes object);

// Whether among its texts is what looks like the absolute path of a source, as a kernel's own
// messages may have it.
bool names_a_source_path(Bytes object);

}  // namespace lightmetal::schema
