#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace lightmetal {

// Reads a number of bytes as people write it: "4096", "64K", "512M", "64G" or "1T", where K is 1024
// and so on. Returns nullopt for anything else, for a sign or a space too, and for what does not
// fit into 64 bits.
std::optional<uint64_t> parse_byte_size(absl::string_view text);

}  // namespace lightmetal
