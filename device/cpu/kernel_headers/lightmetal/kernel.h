#pragma once

#include <cstddef>
#include <cstdint>

#include "lightmetal_kernel_abi.h"

// What every header of the kernel API starts from: the macros that kernels use, and access to the
// device.

#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI inline __attribute__((always_inline))
#define tt_l1_ptr  // address spaces of the hardware; here a pointer is a pointer
#define tt_reg_ptr

namespace lightmetal::kernel {

using kernel_abi::Context;
using kernel_abi::context;

// Fails the launch.
[[noreturn]] __attribute__((noinline, cold)) inline void fail(const char* message,
                                                              const char* file = "",
                                                              uint32_t line = 0) {
  context()->services->fail(context(), file, line, message);
  __builtin_trap();
}

// "circular buffer 5: <what>"
[[noreturn]] __attribute__((noinline, cold)) inline void fail_circular_buffer(uint32_t index,
                                                                              const char* what) {
  char message[160] = "circular buffer ";
  uint32_t length = 16;
  uint32_t divisor = 1;
  while (index / divisor >= 10) divisor *= 10;
  for (; divisor != 0; divisor /= 10)
    message[length++] = static_cast<char>('0' + index / divisor % 10);
  message[length++] = ':';
  message[length++] = ' ';
  while (*what != 0 && length < sizeof(message) - 1) message[length++] = *what++;
  message[length] = 0;
  fail(message);
}

// The L1 address of a pointer into L1: the base of every core's L1 is a multiple of 4 GiB.
template <typename T>
FORCE_INLINE uint32_t l1_address(const volatile T* pointer) {
  return static_cast<uint32_t>(reinterpret_cast<uint64_t>(pointer));
}

}  // namespace lightmetal::kernel
