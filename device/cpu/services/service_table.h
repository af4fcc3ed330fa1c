#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_parts.h"

namespace lightmetal::device::cpu {

// The table of all services that kernels call, on a device that checks kernels for these bits of
// kernel_abi::Check. It lives as long as the process and never changes. Thread-safe.
const kernel_abi::Services& services_for(uint32_t checks);

// The same for a part of a compute kernel, on a machine whose services are services_for(checks).
const kernel_abi::Services& services_for(uint32_t checks, kernel_abi::Part part);

}  // namespace lightmetal::device::cpu
