#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "device/cpu/compiler/target.h"
#include "device/device.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// The names that debug information has for the translation unit, and for the part of it behind the
// kernel's text. No file of a user has such a name.
inline constexpr absl::string_view kWrapperName = "<kernel>";
inline constexpr absl::string_view kWrapperEnd = "<end of the kernel>";

// The translation unit around a kernel's text, as two texts of which the second follows the first.
struct WrappedKernel {
  // What kernels take for granted: the API of their processor. It depends on the processor and its
  // NoC alone, so that few kernels need another one.
  std::string prelude;
  // The kernel's compile-time arguments, circular buffers and defines, its text under its own name
  // (for a debugger: under the path of a file that holds it), and the entry.
  std::string body;
};

// Wraps a kernel, or one part of a compute kernel. Equal arguments give equal texts. Returns
// InvalidArgument for a define without a name, or one that does not fit on a line.
absl::StatusOr<WrappedKernel> wrap_kernel(const KernelSource& source,
                                          const CompileSettings& settings,
                                          std::optional<kernel_abi::Part> part = std::nullopt);

}  // namespace lightmetal::device::cpu
