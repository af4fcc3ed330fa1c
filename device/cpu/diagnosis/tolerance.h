#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

// What hardware lets pass, though hardly anybody means it (kernel_abi::Misuse). A kernel that does
// such a thing runs here as it runs on hardware, after one line on the standard error for each kind
// and place. When the check for the kind is on (kernel_abi::Check), the kernel fails the launch.
namespace lightmetal::device::cpu {

// Returns when the kernel may go on; else it fails the launch and does not return. `message` begins
// with the circular buffer or the transfer, and `cb` is the index of that circular buffer, or
// kMaxCircularBuffers. Called on the kernel's fiber. REQUIRES: no object on the fiber's stack owns
// anything.
void tolerate(KernelRun& run, kernel_abi::Misuse misuse, uint32_t cb, absl::string_view message);

// Writes the warning that tolerate() has left to the worker, unless one for the same line of the
// kernel's source has been written. Called on the worker's own stack, because finding source lines
// needs more stack than a fiber may have left.
void show_warning(KernelRun& run);

}  // namespace lightmetal::device::cpu
