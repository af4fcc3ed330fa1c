#pragma once

#include "lightmetal/kernel.h"

// Arguments: compile-time ones are constants of the wrapper around the kernel, runtime ones come
// with each launch.

namespace lightmetal::kernel {

// One element more than there are arguments, so that there may be none.
inline constexpr uint32_t kCompileTimeArgs[] = {
#ifdef KERNEL_COMPILE_TIME_ARGS
    KERNEL_COMPILE_TIME_ARGS,
#endif
    0};
inline constexpr uint32_t kNumCompileTimeArgs = sizeof(kCompileTimeArgs) / sizeof(uint32_t) - 1;

}  // namespace lightmetal::kernel

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
  static_assert(Index < lightmetal::kernel::kNumCompileTimeArgs,
                "the kernel has no compile-time argument of this index");
  return lightmetal::kernel::kCompileTimeArgs[Index];
}

// A constant expression.
#define get_compile_time_arg_val(index) get_ct_arg<(index)>()

// The L1 address of an argument.
FORCE_INLINE uint32_t get_arg_addr(int index) {
  return lightmetal::kernel::context()->args_address + static_cast<uint32_t>(index) * 4;
}

FORCE_INLINE uint32_t get_common_arg_addr(int index) {
  return lightmetal::kernel::context()->common_args_address + static_cast<uint32_t>(index) * 4;
}

template <typename T>
FORCE_INLINE T get_arg_val(int index) {
  static_assert(sizeof(T) == 4, "an argument is a word of 4 bytes");
  return __builtin_bit_cast(T, lightmetal::kernel::context()->args[index]);
}

template <typename T>
FORCE_INLINE T get_common_arg_val(int index) {
  static_assert(sizeof(T) == 4, "an argument is a word of 4 bytes");
  return __builtin_bit_cast(T, lightmetal::kernel::context()->common_args[index]);
}

FORCE_INLINE uint32_t get_absolute_logical_x() { return lightmetal::kernel::context()->logical_x; }
FORCE_INLINE uint32_t get_absolute_logical_y() { return lightmetal::kernel::context()->logical_y; }

// Counted from the upper left corner of what holds the program's sub-device.
FORCE_INLINE uint32_t get_relative_logical_x() {
  return get_absolute_logical_x() - lightmetal::kernel::context()->origin_x;
}
FORCE_INLINE uint32_t get_relative_logical_y() {
  return get_absolute_logical_y() - lightmetal::kernel::context()->origin_y;
}
