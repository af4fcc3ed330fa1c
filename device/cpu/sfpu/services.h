#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi_sfpu.h"

namespace lightmetal::device::cpu {

// Sets Services::sfpu and Services::unary_tile. The services use the context that they are given
// and its service `fail`, and hold no state. An operation on floats fails the launch on a tile that
// holds integers, and the other way round; a tile that was not written holds zeros of either kind.
void fill_sfpu_services(kernel_abi::Services& services);

}  // namespace lightmetal::device::cpu
