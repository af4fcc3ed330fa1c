#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "device/cpu/compiler/target.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// The names that debug information has for the translation unit, and for the part of it behind the
// kernel's text. No file of a user has such a name.
inline constexpr absl::string_view kWrapperName = "<kernel>";
inline constexpr absl::string_view kWrapperEnd = "<end of the kernel>";

// The translation unit around a kernel's text: the kernel's compile-time arguments, circular
// buffers and defines, the API that kernels take for granted, the text under its own name (for a
// debugger: under the path of a file that holds it), and the entry. Equal arguments give equal
// text. InvalidArgument for a define without a name, or one that does not fit on a line.
absl::StatusOr<std::string> wrap_kernel(const KernelSource& source,
                                        const CompileSettings& settings);

}  // namespace lightmetal::device::cpu
