#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/cpu/compiler/kernel_cache.h"
#include "device/cpu/compiler/target.h"
#include "device/cpu/compiler/wrapper.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// What clang has made of a kernel, and the user's files that clang has read.
struct ClangOutput {
  std::vector<std::byte> object;
  std::vector<IncludedFile> included;
};

// The settings that decide, beside its text, what clang makes of a wrapped kernel. They are part of
// the kernel's key in the cache, so no setting that changes the object may be left out. Of clang
// they have the version of the build, since finding an object in the cache runs no program:
// run_clang() refuses another major version, and patch releases of one count as the same.
std::string clang_settings(const KernelSource& source, const CompileSettings& settings);

// Compiles and links `wrapped`, which wrap_kernel() has made of `source`. Works in a temporary
// folder that it removes. Errors as in compile_kernel(). Thread-safe.
absl::StatusOr<ClangOutput> run_clang(const KernelSource& source, const CompileSettings& settings,
                                      const WrappedKernel& wrapped);

}  // namespace lightmetal::device::cpu
