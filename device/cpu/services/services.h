#pragma once

#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// Sets the services up to `fail`: waits, the NoC, printing. They run on kernels' fibers.
void fill_core_services(kernel_abi::Services& services);

// Writes what a kernel printed since its last end of line.
void flush_print(KernelRun& run);

}  // namespace lightmetal::device::cpu
