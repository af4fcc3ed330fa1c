#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// The services as kernels call them in a process that confines kernels (memory/confined_code.h).
// Each call sets the processor's flags right and opens the host's memory where that is guarded
// (memory/memory_guard.h), does what the machine's own service does, and closes the memory again.
// The table is constant and serves all devices: each call finds its machine by the context.
const kernel_abi::Services& guarded_services();

// Calls the entry of the kernel whose fiber this runs on, with the same changes in the opposite
// order.
void enter_guarded_kernel();

}  // namespace lightmetal::device::cpu
