#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// target = a op b, or target += a op b, for two tiles of bfloat16. The result is that of
// unpack_floats() and binary_floats() (arithmetic.h), bit for bit, in one pass instead of three.
void binary_bfloat16(kernel_abi::BinaryOp op, const void* a, const void* b, bool accumulate,
                     float* target);

}  // namespace lightmetal::device::cpu
