#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// Arithmetic on tiles of integers. Wormhole's matrix unit takes integers of 8 bits and gives sums
// and products of 32 bits. It has no room for operands of more bits: its results for them are of no
// use, and a program that computes with them means the exact results. Here all integers are numbers
// of 32 bits that wrap. Operands of more than 8 bits are tolerated (Misuse).
namespace lightmetal::device::cpu {

// Whether both circular buffers hold integers, so that the operation is one on integers.
bool hold_integers(kernel_abi::Context* context, uint32_t cb_a, uint32_t cb_b);

// A tile that a kernel computes with, as integers of 32 bits (integers of fewer bits are extended
// as by unpack_integers()). The result is `scratch`, which has room for one tile. Fails the launch
// as operand() does.
const uint32_t* integer_operand(kernel_abi::Context* context, uint32_t index, uint32_t tile,
                                uint32_t* scratch);

// target = a op b, or target += a op b. Tiles may be the same.
void binary_integers(kernel_abi::BinaryOp op, const uint32_t* a, const uint32_t* b, bool accumulate,
                     uint32_t* target);

// target += a * b as 32x32 matrices, or a * transposed b.
void matmul_integers(const uint32_t* a, const uint32_t* b, bool transpose_b, uint32_t* target);

}  // namespace lightmetal::device::cpu
