#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/digest.h"

namespace lightmetal::schema {

// Returns the kernel object without what no loader reads: debug information, symbol and section
// tables, and whatever else lies outside of its segments. Paths and names of source files are in
// those parts and nowhere else, except for texts that the kernel itself prints. Returns nullopt
// when `object` is no 64-bit little-endian ELF image that makes sense.
std::optional<std::vector<std::byte>> without_debug_information(Bytes object);

// OK when `object` is a 64-bit little-endian ELF image that has all that its headers name. The
// error is a clause, to follow the object's name.
absl::Status check_kernel_object(Bytes object);

// Returns whether the object has a text that looks like the absolute path of a source, as the
// messages of a kernel may have.
bool names_a_source_path(Bytes object);

}  // namespace lightmetal::schema
