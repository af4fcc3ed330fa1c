#pragma once

#include "lightmetal/printer.h"

// Prints arguments at the placeholders of a format, which is read while it is printed.

// A text that is known when the kernel is compiled.
struct ct_string {
  const char* ptr;
};
#define CTSTR(literal) (ct_string{literal})

struct bf16_t {
  bf16_t(uint16_t its_val) : val(its_val) {}
  uint16_t val;
};

namespace lightmetal::kernel {

struct PrintArg {
  enum class Kind : uint8_t {
    kSigned,
    kUnsigned,
    kFloat,
    kCharacter,
    kBoolean,
    kText,
    kAddress,
    kWritten
  };
  Kind kind;
  uint64_t bits;
  double number = 0;
  const char* text = nullptr;
  // Of kWritten: what is written, and how.
  const void* object = nullptr;
  void (*write)(const void* object) = nullptr;
};

inline PrintArg print_arg(bool value) { return {PrintArg::Kind::kBoolean, value}; }
inline PrintArg print_arg(char value) {
  return {PrintArg::Kind::kCharacter, static_cast<unsigned char>(value)};
}
inline PrintArg print_arg(double value) { return {PrintArg::Kind::kFloat, 0, value}; }
inline PrintArg print_arg(float value) { return print_arg(static_cast<double>(value)); }
inline PrintArg print_arg(const char* value) { return {PrintArg::Kind::kText, 0, 0, value}; }
inline PrintArg print_arg(char* value) { return {PrintArg::Kind::kText, 0, 0, value}; }
template <typename T>
requires(__is_integral(T)) inline PrintArg print_arg(T value) {
  if constexpr (static_cast<T>(-1) < static_cast<T>(1))
    return {PrintArg::Kind::kSigned, static_cast<uint64_t>(static_cast<int64_t>(value))};
  return {PrintArg::Kind::kUnsigned, static_cast<uint64_t>(value)};
}
template <typename T>
requires(__is_enum(T)) inline PrintArg print_arg(T value) {
  return print_arg(static_cast<__underlying_type(T)>(value));
}
inline PrintArg print_arg(ct_string value) { return print_arg(value.ptr); }
inline PrintArg print_arg(bf16_t value) {
  return print_arg(__builtin_bit_cast(float, static_cast<uint32_t>(value.val) << 16));
}
// The types that name a format for DPRINT <<.
template <typename T>
requires requires(const T& named) { named.value; }
inline PrintArg print_arg(const T& named) { return print_arg(named.value); }
// Whatever has a function write_argument, which its argument finds. A format's specification, such
// as a width, does not apply.
template <typename T>
requires requires(const T& object) { write_argument(object); }
inline PrintArg print_arg(const T& object) {
  return {PrintArg::Kind::kWritten, 0, 0, nullptr, &object, [](const void* it) {
            write_argument(*static_cast<const T*>(it));
          }};
}
// A pointer as the device's address.
template <typename T>
inline PrintArg print_arg(T* pointer) {
  return {PrintArg::Kind::kAddress, l1_address(pointer)};
}

template <uint32_t kCount>
struct Count {
  static constexpr uint32_t value = kCount;
};
template <typename... Args>
Count<sizeof...(Args)> count_of(const Args&...);

// How a placeholder wants its argument.
struct PrintSpec {
  uint32_t index = 0;
  bool has_index = false;
  char fill = ' ';
  char align = 0;  // '<', '>', '^', or 0 for what the argument's kind has
  char sign = '-';
  bool alternate = false;
  bool zeros = false;
  uint32_t width = 0;
  int32_t precision = -1;
  char type = 0;
  const char* end = nullptr;  // behind the closing brace, or the end of a format that lacks it
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr uint32_t read_number(const char*& at) {
  uint32_t number = 0;
  for (; is_digit(*at); ++at) number = number * 10 + static_cast<uint32_t>(*at - '0');
  return number;
}
constexpr bool is_alignment(char c) { return c == '<' || c == '>' || c == '^'; }

constexpr void read_alignment(const char*& at, PrintSpec& spec) {
  if (*at != 0 && *at != '}' && is_alignment(at[1])) spec.fill = *at++;
  if (is_alignment(*at)) spec.align = *at++;
}

// `at` is behind the opening brace.
constexpr PrintSpec read_placeholder(const char* at) {
  PrintSpec spec;
  spec.has_index = is_digit(*at);
  spec.index = read_number(at);
  if (*at == ':') {
    ++at;
    read_alignment(at, spec);
    if (*at == '+' || *at == '-' || *at == ' ') spec.sign = *at++;
    spec.alternate = *at == '#';
    if (spec.alternate) ++at;
    spec.zeros = *at == '0';
    if (spec.zeros) ++at;
    spec.width = read_number(at);
    if (*at == '.') spec.precision = static_cast<int32_t>(read_number(++at));
    if (*at != '}' && *at != 0) spec.type = *at++;
  }
  while (*at != '}' && *at != 0) ++at;
  spec.end = *at == 0 ? at : at + 1;
  return spec;
}

// How many arguments a format wants.
constexpr uint32_t arguments_of_format(const char* format) {
  uint32_t in_order = 0, count = 0;
  for (const char* at = format; *at != 0;) {
    const char c = *at++;
    if ((c == '{' || c == '}') && *at == c) {
      ++at;
    } else if (c == '{') {
      const PrintSpec spec = read_placeholder(at);
      const uint32_t index = spec.has_index ? spec.index : in_order++;
      if (index >= count) count = index + 1;
      at = spec.end;
    }
  }
  return count;
}

// Puts a text into the width of its placeholder. Zeros stand behind the first `prefix` characters,
// a sign or 0x.
inline void print_aligned(const char* text, uint32_t length, uint32_t prefix, char align,
                          const PrintSpec& spec) {
  const uint32_t room = spec.width > length ? spec.width - length : 0;
  const char chosen = spec.align != 0 ? spec.align : align;
  const bool zeros = spec.zeros && spec.align == 0;
  const uint32_t left = zeros || chosen == '<' ? 0 : chosen == '^' ? room / 2 : room;
  for (uint32_t i = 0; i < left; ++i) printer.put(spec.fill);
  for (uint32_t i = 0; i < prefix; ++i) printer.put(text[i]);
  for (uint32_t i = 0; zeros && i < room; ++i) printer.put('0');
  for (uint32_t i = prefix; i < length; ++i) printer.put(text[i]);
  for (uint32_t i = zeros ? room : left; i < room; ++i) printer.put(spec.fill);
}

// The sign and, for #, what says the base.
inline uint32_t write_prefix(Printer& text, bool negative, uint32_t base, const PrintSpec& spec) {
  uint32_t length = 0;
  if (negative || spec.sign != '-') {
    text.put(negative ? '-' : spec.sign);
    ++length;
  }
  if (!spec.alternate || base == 10) return length;
  text.put('0');
  if (base == 8) return length + 1;
  text.put(base == 2 ? 'b' : spec.type == 'X' ? 'X' : 'x');
  return length + 2;
}

inline void print_whole(const PrintArg& arg, const PrintSpec& spec) {
  const bool negative = arg.kind == PrintArg::Kind::kSigned && static_cast<int64_t>(arg.bits) < 0;
  const uint32_t base = spec.type == 'x' || spec.type == 'X'   ? 16
                        : spec.type == 'b' || spec.type == 'B' ? 2
                        : spec.type == 'o'                     ? 8
                                                               : 10;
  Printer text;
  const uint32_t prefix = write_prefix(text, negative, base, spec);
  text.set_base(base);
  text.write_unsigned(negative ? uint64_t{0} - arg.bits : arg.bits);
  if (spec.type == 'X') text.to_upper_case();
  print_aligned(text.text(), text.length(), prefix, '>', spec);
}

inline void print_number(const PrintArg& arg, const PrintSpec& spec) {
  const bool negative = __builtin_signbit(arg.number);
  Printer text;
  const uint32_t prefix = write_prefix(text, negative, 10, spec);
  if (spec.type == 'f' || spec.type == 'F') text.set_style(FloatStyle::kFixed);
  if (spec.precision >= 0) text.set_precision(static_cast<uint32_t>(spec.precision));
  text.write_float(negative ? -arg.number : arg.number);
  print_aligned(text.text(), text.length(), prefix, '>', spec);
}

inline void print_text(const char* text, const PrintSpec& spec) {
  const auto limit = static_cast<uint32_t>(spec.precision);
  uint32_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  PrintSpec without_zeros = spec;
  without_zeros.zeros = false;
  print_aligned(text, length, 0, '<', without_zeros);
}

inline void print_placeholder(const PrintArg& arg, PrintSpec spec) {
  using Kind = PrintArg::Kind;
  const bool as_number = spec.type != 0 && spec.type != 'c' && spec.type != 's';
  if (arg.kind == Kind::kText) return print_text(arg.text, spec);
  if (arg.kind == Kind::kWritten) return arg.write(arg.object);
  if (arg.kind == Kind::kFloat) return print_number(arg, spec);
  if (arg.kind == Kind::kBoolean && !as_number)
    return print_text(arg.bits != 0 ? "true" : "false", spec);
  if ((arg.kind == Kind::kCharacter && !as_number) || spec.type == 'c') {
    const char character[] = {static_cast<char>(arg.bits), 0};
    return print_text(character, spec);
  }
  if (arg.kind == Kind::kAddress && (spec.type == 0 || spec.type == 'p')) {
    spec.type = 'x';
    spec.alternate = true;
  }
  print_whole(arg, spec);
}

__attribute__((noinline)) inline void print_format(const char* format, const PrintArg* args,
                                                   uint32_t count) {
  uint32_t in_order = 0;
  while (*format != 0) {
    const char c = *format++;
    if ((c == '{' || c == '}') && *format == c) {
      printer.put(*format++);
    } else if (c == '{') {
      const PrintSpec spec = read_placeholder(format);
      const uint32_t index = spec.has_index ? spec.index : in_order++;
      if (index < count) print_placeholder(args[index], spec);
      format = spec.end;
    } else {
      printer.put(c);
    }
  }
  printer.flush();
}

template <typename... Args>
inline void print_formatted(const char* format, const Args&... args) {
  if constexpr (sizeof...(Args) == 0) {
    print_format(format, nullptr, 0);
  } else {
    const PrintArg all[] = {print_arg(args)...};
    print_format(format, all, sizeof...(Args));
  }
}

}  // namespace lightmetal::kernel
