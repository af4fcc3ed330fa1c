#pragma once

#include <type_traits>

#include "lightmetal/kernel.h"

// Arguments: compile-time ones are constants of the wrapper around the kernel, runtime ones come
// with each launch.

// values.h defines both. An index beyond the kernel's arguments does not compile.
template <uint32_t Index>
constexpr uint32_t get_ct_arg();

namespace lightmetal::kernel {

// As get_ct_arg(), of an index that the kernel computes and that is one of its arguments.
constexpr uint32_t compile_time_arg(uint32_t index);

}  // namespace lightmetal::kernel

// A constant expression, and where the index is written as a number one for #if, too: the wrapper
// defines LIGHTMETAL_ARG_7_ as `0, value`, which makes the value the second in the list below.
#define get_compile_time_arg_val(index) LIGHTMETAL_ARG(index)
#define LIGHTMETAL_ARG(index) \
  LIGHTMETAL_SECOND_OF(LIGHTMETAL_ARG_##index##_, get_ct_arg<(index)>(), 0)
#define LIGHTMETAL_SECOND_OF(...) LIGHTMETAL_SECOND(__VA_ARGS__)
#define LIGHTMETAL_SECOND(first, second, ...) second

// The L1 address of an argument.
FORCE_INLINE uint32_t get_arg_addr(int index) {
  return lightmetal::kernel::context()->args_address + static_cast<uint32_t>(index) * 4;
}

FORCE_INLINE uint32_t get_common_arg_addr(int index) {
  return lightmetal::kernel::context()->common_args_address + static_cast<uint32_t>(index) * 4;
}

namespace lightmetal::kernel {

// A word as an argument of that type. A pointer is an address in L1, where it has 4 bytes.
template <typename T>
FORCE_INLINE T argument_of(uint32_t word) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(static_cast<uintptr_t>(word));
  } else {
    static_assert(sizeof(T) == 4, "an argument is a word of 4 bytes");
    return __builtin_bit_cast(T, word);
  }
}

}  // namespace lightmetal::kernel

template <typename T>
FORCE_INLINE T get_arg_val(int index) {
  return lightmetal::kernel::argument_of<T>(lightmetal::kernel::context()->args[index]);
}

template <typename T>
FORCE_INLINE T get_common_arg_val(int index) {
  return lightmetal::kernel::argument_of<T>(lightmetal::kernel::context()->common_args[index]);
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
