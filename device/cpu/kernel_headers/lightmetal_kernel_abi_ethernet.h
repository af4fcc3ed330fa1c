#pragma once

#include "lightmetal_kernel_abi.h"

// What Ethernet kernels do with the link to the core at its other end.
namespace lightmetal::kernel_abi {

struct EthernetServices {};

}  // namespace lightmetal::kernel_abi
