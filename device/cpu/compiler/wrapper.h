#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "device/cpu/compiler/target.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// What debug information calls the unit, and the part of it behind the kernel's text: names that no
// file of a user's has.
inline constexpr absl::string_view kWrapperName = "<kernel>";
inline constexpr absl::string_view kWrapperEnd = "<end of the kernel>";

// The translation unit around a kernel's text: its compile-time arguments, circular buffers and
// defines, the API that kernels take for granted, the text under its own name (for a debugger:
// under the path of a file that holds it), and the entry. InvalidArgument for a define that no line
// can hold.
absl::StatusOr<std::string> wrap_kernel(const KernelSource& source,
                                        const CompileSettings& settings);

}  // namespace lightmetal::device::cpu
