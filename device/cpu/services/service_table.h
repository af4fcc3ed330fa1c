#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// All that kernels call, on a device that checks them for these bits of kernel_abi::Check.
const kernel_abi::Services& services_for(uint32_t checks);

}  // namespace lightmetal::device::cpu
