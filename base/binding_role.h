#pragma once

#include <cstdint>

namespace lightmetal {

// The role of a named buffer for whoever runs the program. Files store the values.
enum class BindingRole : uint8_t { kInput = 0, kOutput = 1, kInOut = 2, kConstant = 3 };

const char* name_of(BindingRole role);  // "input"; "unknown" for a value without a role

}  // namespace lightmetal
