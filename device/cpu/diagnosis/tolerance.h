#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

// What hardware lets pass though it is hardly meant: a kernel that does it runs here as it does
// there, after one line on the standard error for each kind and place; when the check for that kind
// is on (kernel_abi::Check), it fails the launch.
namespace lightmetal::device::cpu {

// Returns when the kernel may go on; else it has failed the launch and does not return. `message`
// begins with the circular buffer or the transfer; `cb` is the circular buffer that it is about, if
// it is about one. Called on the kernel's fiber, with nothing on it that owns anything.
void tolerate(KernelRun& run, kernel_abi::Misuse misuse, uint32_t cb, absl::string_view message);

// Writes the warning that tolerate() has left to the worker, unless one for the same line of the
// kernel's source was written. Called on the worker's own stack: source lines need more than a
// fiber may have left.
void show_warning(KernelRun& run);

}  // namespace lightmetal::device::cpu
