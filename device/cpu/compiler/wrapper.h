#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "device/cpu/compiler/compiler.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// The translation unit around a kernel's text: its compile-time arguments, circular buffers and
// defines, the API that kernels take for granted, the text under its own name (for a debugger:
// under the path of a file that holds it), and the entry. InvalidArgument for a define that no line
// can hold.
absl::StatusOr<std::string> wrap_kernel(const KernelSource& source,
                                        const CompileSettings& settings);

}  // namespace lightmetal::device::cpu
