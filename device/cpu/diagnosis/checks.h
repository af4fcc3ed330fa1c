#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lightmetal::device::cpu {

// The bits of kernel_abi::Check that a list of names stands for: names separated by commas, "all"
// or "none". Empty is none. InvalidArgument for an unknown name; the error lists those there are.
absl::StatusOr<uint32_t> parse_checks(absl::string_view names);

// The name of a check that is one bit. REQUIRES: there is one.
const char* check_name(uint32_t bit);

}  // namespace lightmetal::device::cpu
