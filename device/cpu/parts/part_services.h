#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// Mailboxes and semaphores between the parts of a compute kernel. They fail the launch for a kernel
// that is not in parts.
const kernel_abi::PartServices& part_services();

}  // namespace lightmetal::device::cpu
