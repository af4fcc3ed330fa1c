#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Sets the services of the table up to `fail`: waits, the NoC, printing, failing. They run on the
// fibers of kernels and hold no state.
void fill_core_services(kernel_abi::Services& services);

// Writes what a kernel has printed since its last end of line. Called by the kernel's worker.
void flush_print(KernelRun& run);

}  // namespace lightmetal::device::cpu
