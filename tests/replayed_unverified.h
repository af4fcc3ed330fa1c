#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace lightmetal::semantics_testing {

// What a replay says of a file that nobody has verified: where the host API refuses it.
absl::Status replayed_unverified(const std::vector<uint8_t>& bytes);

}  // namespace lightmetal::semantics_testing
