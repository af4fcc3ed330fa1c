#pragma once

#include "absl/status/statusor.h"
#include "device/cpu/compiler/target.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Compiles a kernel to a shared object (lightmetal_kernel_abi.h), or finds the object in the kernel
// cache (kernel_cache.h). With CompileSettings::split, a compute kernel's object holds parts. Equal
// requests give equal bytes. Thread-safe: of equal requests at the same time one compiles, and the
// others wait for its result.
//
// Needs clang of the LLVM version that this library was built with: $LIGHTMETAL_CLANG, else the one
// found at build time, else `clang-N` or `clang` in PATH. Errors: InvalidArgument with clang's
// messages when the source does not compile or uses what is not defined; FailedPrecondition when
// there is no such clang; Unavailable when it cannot be run; DeadlineExceeded when it takes longer
// than $LIGHTMETAL_CLANG_SECONDS, 600 without this variable.
absl::StatusOr<KernelObject> compile_kernel(const KernelSource& source,
                                            const CompileSettings& settings = {});

}  // namespace lightmetal::device::cpu
