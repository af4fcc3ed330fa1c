#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"

namespace lightmetal::device::cpu {

// Sets Services::sfpu and Services::unary_tile. They use the context they are given and its service
// fail, and hold no state. Operations for floats fail the launch on tiles that hold integers, and
// the other way round; an unwritten tile is zeros of either kind.
void fill_sfpu_services(kernel_abi::Services& services);

}  // namespace lightmetal::device::cpu
