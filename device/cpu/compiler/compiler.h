#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "device/device.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// What a kernel is compiled for beyond running. Each setting makes another object.
struct CompileSettings {
  bool debug = false;  // stepping through its source: not optimised, with the sources' real paths
  bool check_uninitialized = false;  // it tells the device what it loads from and stores to L1
};

// What kernels are compiled for: backend, architecture, kernel ABI version ("cpu-x86_64-2").
std::string kernel_target(uint32_t version = kernel_abi::kVersion);

// Whether this device loads objects of a target: those of older ABI versions too.
bool runs_target(absl::string_view target);

// Compiles a kernel to a shared object (lightmetal_kernel_abi.h), or finds it in the kernel cache
// (kernel_cache.h). Equal requests give equal bytes. Thread-safe; the same request at the same time
// is compiled once.
//
// Needs clang of the LLVM version that this library was built with: $LIGHTMETAL_CLANG, else the one
// found at build time, else `clang-N` or `clang` in PATH. Errors: InvalidArgument with clang's
// messages when the source does not compile or uses what is not defined; FailedPrecondition when
// there is no such clang; Unavailable when it cannot be run.
absl::StatusOr<KernelObject> compile_kernel(const KernelSource& source,
                                            const CompileSettings& settings = {});

}  // namespace lightmetal::device::cpu
