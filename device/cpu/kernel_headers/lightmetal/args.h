#pragma once

#include "lightmetal/kernel.h"

// Arguments: compile-time ones are constants of the wrapper around the kernel, runtime ones come
// with each launch.

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif

namespace lightmetal::kernel {

template <typename... Args>
constexpr std::array<uint32_t, sizeof...(Args)> words(Args... args) {
  return {static_cast<uint32_t>(args)...};
}

}  // namespace lightmetal::kernel

inline constexpr auto kernel_compile_time_args =
    lightmetal::kernel::words(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
  static_assert(Index < kernel_compile_time_args.size(),
                "the kernel has no compile-time argument of this index");
  return kernel_compile_time_args[Index];
}

// A constant expression, and where the index is written as a number one for #if, too: the wrapper
// defines LIGHTMETAL_ARG_7_ as `0, value`, which makes the value the second in the list below.
#define get_compile_time_arg_val(index) LIGHTMETAL_ARG(index)
#define LIGHTMETAL_ARG(index) \
  LIGHTMETAL_SECOND_OF(LIGHTMETAL_ARG_##index##_, get_ct_arg<(index)>(), 0)
#define LIGHTMETAL_SECOND_OF(...) LIGHTMETAL_SECOND(__VA_ARGS__)
#define LIGHTMETAL_SECOND(first, second, ...) second

#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP
#endif

namespace lightmetal::kernel {

// A compile-time argument by its name, of which KERNEL_COMPILE_TIME_ARG_MAP lists pairs. The first
// one is none.
struct NamedArg {
  const char* name;
  uint32_t value;
};
inline constexpr NamedArg kNamedArgs[] = {{nullptr, 0}, KERNEL_COMPILE_TIME_ARG_MAP};

constexpr bool same_text(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == 0) return true;
  }
  return false;
}

}  // namespace lightmetal::kernel

// A constant expression wherever one is asked for; a name that the kernel has not is an error
// there, and elsewhere fails the launch.
template <typename...>
constexpr uint32_t get_named_ct_arg(const char* name) {
  for (const lightmetal::kernel::NamedArg& arg : lightmetal::kernel::kNamedArgs) {
    if (arg.name != nullptr && lightmetal::kernel::same_text(arg.name, name)) return arg.value;
  }
  lightmetal::kernel::fail("the kernel has no compile-time argument of this name");
}
constexpr uint32_t get_named_compile_time_arg_val(const char* name) {
  return get_named_ct_arg(name);
}

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
