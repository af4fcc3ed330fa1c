#pragma once

#include "debug/device_print.h"
#include "lightmetal/printer.h"

// DPRINT << "text" << value << ENDL(); The device writes a line when it ends, or when the kernel
// does, however that ends.

struct ENDL {};
struct FIXED {};
struct DEFAULTFLOAT {};
struct HEX {};
struct OCT {};
struct DEC {};
struct BIN {};

struct SETW {
  explicit SETW(char width, bool sticky = true)
      : width(static_cast<uint8_t>(width)), sticky(sticky) {}
  uint8_t width;
  bool sticky;
};

struct SETPRECISION {
  explicit SETPRECISION(char precision) : precision(static_cast<uint8_t>(precision)) {}
  uint8_t precision;
};

struct F32 {
  explicit F32(float value) : value(value) {}
  explicit F32(uint32_t bits) : value(__builtin_bit_cast(float, bits)) {}
  float value;
};

struct BF16 {
  explicit BF16(uint16_t bits)
      : value(__builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16)) {}
  float value;
};

struct U32 {
  explicit U32(uint32_t value) : value(value) {}
  uint32_t value;
};

namespace lightmetal::kernel {

inline void print(const char* text) { printer.write(text); }
inline void print(char value) { printer.write(&value, 1); }
inline void print(float value) { printer.write_float(value); }
inline void print(double value) { printer.write_float(value); }
inline void print(F32 value) { printer.write_float(value.value); }
inline void print(BF16 value) { printer.write_float(value.value); }
inline void print(U32 value) { printer.write_unsigned(value.value); }
inline void print(ENDL) { printer.put('\n'); }
inline void print(SETW value) { printer.set_width(value.width, value.sticky); }
inline void print(SETPRECISION value) { printer.set_precision(value.precision); }
inline void print(FIXED) { printer.set_style(FloatStyle::kFixed); }
inline void print(DEFAULTFLOAT) { printer.set_style(FloatStyle::kGeneral); }
inline void print(HEX) { printer.set_base(16); }
inline void print(OCT) { printer.set_base(8); }
inline void print(DEC) { printer.set_base(10); }
inline void print(BIN) { printer.set_base(2); }

template <typename T>
requires(__is_integral(T)) inline void print(T value) {
  constexpr uint64_t kMask = ~uint64_t{0} >> (64 - 8 * sizeof(T));
  const uint64_t bits = static_cast<uint64_t>(value) & kMask;
  if constexpr (static_cast<T>(-1) < static_cast<T>(1)) {
    printer.write_signed(static_cast<int64_t>(value), bits);
  } else {
    printer.write_unsigned(bits);
  }
}

// The device's address, as a number. Characters are a text, unless they may change at any time.
template <typename T>
requires(!std::is_same_v<std::remove_const_t<T>, char>) inline void print(T* pointer) {
  printer.write_unsigned(l1_address(pointer));
}

}  // namespace lightmetal::kernel

struct DebugPrinter {};
inline constexpr DebugPrinter DPRINT{};

template <typename T>
inline DebugPrinter operator<<(DebugPrinter out, T value) {
  lightmetal::kernel::print(value);
  lightmetal::kernel::printer.flush();
  return out;
}

// As of 2026, DPRINT(format, arguments...) is DEVICE_PRINT.
#define DPRINT(...) DEVICE_PRINT(__VA_ARGS__)

namespace lightmetal::kernel {

// Prints what stands before it and a comma, when that is a text.
struct PrintIfText {};
inline void operator,(const char* text, PrintIfText) { print_formatted(text); }

}  // namespace lightmetal::kernel

// Only on the processor that is named: a format with its arguments or, as before 2026, a statement,
// of which one is a format without arguments. One compute kernel here does the work of the three
// compute processors.
#define LIGHTMETAL_PRINT(first, ...) \
  LIGHTMETAL_PRINT_##__VA_OPT__(FORMAT)(first __VA_OPT__(, ) __VA_ARGS__)
#define LIGHTMETAL_PRINT_FORMAT(...) DEVICE_PRINT(__VA_ARGS__)
#define LIGHTMETAL_PRINT_(statement) \
  static_cast<void>((__extension__({ statement; }), ::lightmetal::kernel::PrintIfText{}))
#ifdef COMPILE_FOR_BRISC
#define DPRINT_DATA0(...) LIGHTMETAL_PRINT(__VA_ARGS__)
#else
#define DPRINT_DATA0(...)
#endif
#ifdef COMPILE_FOR_NCRISC
#define DPRINT_DATA1(...) LIGHTMETAL_PRINT(__VA_ARGS__)
#else
#define DPRINT_DATA1(...)
#endif
#ifdef TRISC_UNPACK
#define DPRINT_UNPACK(...) LIGHTMETAL_PRINT(__VA_ARGS__)
#else
#define DPRINT_UNPACK(...)
#endif
#ifdef TRISC_MATH
#define DPRINT_MATH(...) LIGHTMETAL_PRINT(__VA_ARGS__)
#else
#define DPRINT_MATH(...)
#endif
#ifdef TRISC_PACK
#define DPRINT_PACK(...) LIGHTMETAL_PRINT(__VA_ARGS__)
#else
#define DPRINT_PACK(...)
#endif

#include "debug/dprint_tile.h"
