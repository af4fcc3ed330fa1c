#pragma once

#include "lightmetal/formatted_print.h"

// DEVICE_PRINT("x = {}, y = {:#x}\n", x, y): text with placeholders as of 2026. A placeholder may
// have the number of its argument and, behind a colon, fill and alignment, sign, #, 0, width,
// precision and type, as in std::format; numbers that are no whole ones have six digits where
// nothing else is said. Placeholders and arguments that do not match do not compile.
#define DEVICE_PRINT(format, ...)                                                     \
  do {                                                                                \
    static_assert(::lightmetal::kernel::arguments_of_format(format) ==                \
                      decltype(::lightmetal::kernel::count_of(__VA_ARGS__))::value,   \
                  "DEVICE_PRINT: the placeholders are not as many as the arguments"); \
    ::lightmetal::kernel::print_formatted(format __VA_OPT__(, ) __VA_ARGS__);         \
  } while (false)

#ifdef TRISC_UNPACK
#define DEVICE_PRINT_UNPACK(...) DEVICE_PRINT(__VA_ARGS__)
#else
#define DEVICE_PRINT_UNPACK(...)
#endif
#ifdef TRISC_MATH
#define DEVICE_PRINT_MATH(...) DEVICE_PRINT(__VA_ARGS__)
#else
#define DEVICE_PRINT_MATH(...)
#endif
#ifdef TRISC_PACK
#define DEVICE_PRINT_PACK(...) DEVICE_PRINT(__VA_ARGS__)
#else
#define DEVICE_PRINT_PACK(...)
#endif
#ifdef COMPILE_FOR_BRISC
#define DEVICE_PRINT_DATA0(...) DEVICE_PRINT(__VA_ARGS__)
#else
#define DEVICE_PRINT_DATA0(...)
#endif
#ifdef COMPILE_FOR_NCRISC
#define DEVICE_PRINT_DATA1(...) DEVICE_PRINT(__VA_ARGS__)
#else
#define DEVICE_PRINT_DATA1(...)
#endif
