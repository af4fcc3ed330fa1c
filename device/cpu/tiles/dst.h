#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_diagnosis.h"

// The destination registers of a compute kernel. Context::dst_state: bit i says that tile i holds
// integers, bit 16 + i that it was written since it was acquired. A tile that was not is all zeros,
// whatever its memory holds: it is cleared when somebody looks, for most kernels use few of the
// tiles that they acquire. Each function fails the launch when the kernel has no such tile.
namespace lightmetal::device::cpu {

// Fails the launch from a service; does not return.
[[noreturn]] __attribute__((format(printf, 2, 3))) void fail_kernel(kernel_abi::Context* context,
                                                                    const char* format, ...);

// Before a service does what hardware lets pass and hardly anybody means: warns, or fails the
// launch (Misuse).
__attribute__((format(printf, 4, 5))) void tolerate(kernel_abi::Context* context,
                                                    kernel_abi::Misuse misuse, uint32_t cb,
                                                    const char* format, ...);

// For writing floats or integers over the whole tile.
float* dst_to_fill(kernel_abi::Context* context, uint32_t dst, bool integers);
// For reading what is there.
float* dst_tile(kernel_abi::Context* context, uint32_t dst);
// For computing on the floats, or the integers, that are there; an unwritten tile is zeros of
// either kind.
float* dst_floats(kernel_abi::Context* context, uint32_t dst);
uint32_t* dst_integers(kernel_abi::Context* context, uint32_t dst);
// dst_to_fill for integers.
uint32_t* dst_integers_to_fill(kernel_abi::Context* context, uint32_t dst);

bool dst_holds_integers(const kernel_abi::Context* context, uint32_t dst);
bool dst_is_written(const kernel_abi::Context* context, uint32_t dst);

}  // namespace lightmetal::device::cpu
