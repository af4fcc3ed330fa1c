#pragma once

#include "device/kernel_abi/lightmetal_kernel_abi.h"

namespace lightmetal::device::cpu {

// What unpack_floats and binary_floats (arithmetic.h) do for two tiles of bfloat16, bit for bit, in
// one pass: target = a op b, or target += a op b.
void binary_bfloat16(kernel_abi::BinaryOp op, const void* a, const void* b, bool accumulate,
                     float* target);

}  // namespace lightmetal::device::cpu
