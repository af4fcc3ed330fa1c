#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// The services as kernels call them in a process that confines them (confined_code.h): each call
// sets the processor's flags right and opens the host's memory where it is guarded
// (memory_guard.h), does what the machine's own service does, and closes the memory again.
const kernel_abi::Services& guarded_services();

// A kernel's entry, likewise. Runs on its fiber.
void enter_guarded_kernel();

}  // namespace lightmetal::device::cpu
