#pragma once

#include "device/cpu/kernel_headers/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// The services as kernels call them when host memory is guarded (memory_guard.h): each call opens
// the host's memory, does what the machine's own service does, and closes it again.
const kernel_abi::Services& guarded_services();

// A kernel's entry, likewise. Runs on its fiber.
void enter_guarded_kernel();

}  // namespace lightmetal::device::cpu
