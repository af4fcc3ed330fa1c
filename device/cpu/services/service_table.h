#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// The table of all services that kernels call, on a device that checks kernels for these bits of
// kernel_abi::Check. It lives as long as the process and never changes. Thread-safe.
const kernel_abi::Services& services_for(uint32_t checks);

}  // namespace lightmetal::device::cpu
