#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
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

}  // namespace lightmetal::device::cpu
