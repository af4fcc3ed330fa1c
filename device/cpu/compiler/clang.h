#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/cpu/compiler/kernel_cache.h"
#include "device/cpu/compiler/target.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// What clang made of a kernel, and the files of the user it read.
struct ClangOutput {
  std::vector<std::byte> object;
  std::vector<IncludedFile> included;
};

// The settings that decide what clang makes of a wrapped kernel: part of a kernel's key.
std::string clang_settings(const KernelSource& source, const CompileSettings& settings);

// Compiles and links `wrapped` (wrap_kernel). Errors as in compile_kernel.
absl::StatusOr<ClangOutput> run_clang(const KernelSource& source, const CompileSettings& settings,
                                      const std::string& wrapped);

}  // namespace lightmetal::device::cpu
