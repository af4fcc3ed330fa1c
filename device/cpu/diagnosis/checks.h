#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lightmetal::device::cpu {

// The bits of kernel_abi::Check for which a list of names stands: names of checks, "all" or "none",
// separated by commas. An empty list stands for none. InvalidArgument for a name that is not known;
// the error lists those that are.
absl::StatusOr<uint32_t> parse_checks(absl::string_view names);

// The name of a check. REQUIRES: `bit` is all the bits of a check that has a name.
const char* check_name(uint32_t bit);

}  // namespace lightmetal::device::cpu
