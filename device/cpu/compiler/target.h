#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// For what a kernel is compiled beyond running. Each combination of settings makes another object.
struct CompileSettings {
  // For a debugger that steps through the source: not optimised, with the real paths of sources.
  bool debug = false;
  // The kernel tells the device what it loads from L1 and stores there.
  bool check_uninitialized = false;
};

// The target of kernel objects: the backend, the architecture, the version of the kernel ABI
// ("cpu-x86_64-2").
std::string kernel_target(uint32_t version = kernel_abi::kVersion);

// Whether this device loads objects of a target: those of its ABI version and of older ones.
bool runs_target(absl::string_view target);

}  // namespace lightmetal::device::cpu
