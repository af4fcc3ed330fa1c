#pragma once

#include "lightmetal/kernel.h"

namespace lightmetal::kernel {

enum class FloatStyle : uint8_t { kGeneral, kFixed };

// Collects text for the device. Formats as a C++ stream does.
class Printer {
 public:
  void put(char c) {
    if (length_ == sizeof(line_)) flush();
    line_[length_++] = c;
    if (c == '\n') flush();
  }

  void flush() {
    if (length_ != 0) context()->services->print(context(), line_, length_);
    length_ = 0;
  }

  // All of `text`, filled with spaces on its left up to the width that was set.
  void write(const char* text, uint32_t length) {
    for (uint32_t i = length; i < width_; ++i) put(' ');
    for (uint32_t i = 0; i < length; ++i) put(text[i]);
    if (!sticky_width_) width_ = 0;
  }

  void write(const char* text) {
    uint32_t length = 0;
    while (text[length] != 0) ++length;
    write(text, length);
  }

  void write_unsigned(uint64_t value, bool negative = false) {
    constexpr uint32_t kSize = 72;
    char text[kSize];
    uint32_t begin = kSize;
    do {
      text[--begin] = "0123456789abcdef"[value % base_];
      value /= base_;
    } while (value != 0);
    if (negative) text[--begin] = '-';
    write(text + begin, kSize - begin);
  }

  // As in C++, bases other than ten show the bits of the value.
  void write_signed(int64_t value, uint64_t bits) {
    if (base_ != 10 || value >= 0) return write_unsigned(bits);
    write_unsigned(uint64_t{0} - static_cast<uint64_t>(value), true);
  }

  void write_float(double value) {
    char text[96];
    uint32_t length = 0;
    if (__builtin_signbit(value)) {
      text[length++] = '-';
      value = -value;
    }
    if (__builtin_isnan(value)) return write("nan");
    if (__builtin_isinf(value)) return write(length == 0 ? "inf" : "-inf");
    length = style_ == FloatStyle::kFixed && value < 1e18 ? append_fixed(text, length, value)
                                                          : append_general(text, length, value);
    write(text, length);
  }

  void set_width(uint32_t width, bool sticky) {
    width_ = width;
    sticky_width_ = sticky;
  }
  void set_precision(uint32_t precision) { precision_ = precision < 17 ? precision : 17; }
  void set_style(FloatStyle style) { style_ = style; }
  void set_base(uint32_t base) { base_ = base; }

  // What was written since the last end of a line, of one that prints nothing itself.
  const char* text() const { return line_; }
  uint32_t length() const { return length_; }
  void to_upper_case() {
    for (uint32_t i = 0; i < length_; ++i) {
      if (line_[i] >= 'a' && line_[i] <= 'z') line_[i] = static_cast<char>(line_[i] - 'a' + 'A');
    }
  }

 private:
  static double power_of_ten(int exponent) {
    double result = 1;
    double factor = 10;
    for (uint32_t n = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent); n != 0; n >>= 1) {
      if (n & 1) result *= factor;
      factor *= factor;
    }
    return result;
  }

  static double scaled(double value, int exponent) {
    return exponent < 0 ? value / power_of_ten(exponent) : value * power_of_ten(exponent);
  }

  // To nearest, ties to even. REQUIRES: 0 <= value < 2^63.
  static uint64_t rounded(double value) {
    auto whole = static_cast<uint64_t>(value);
    const double rest = value - static_cast<double>(whole);
    if (rest > 0.5 || (rest == 0.5 && (whole & 1) != 0)) ++whole;
    return whole;
  }

  static uint32_t append_digits(char* text, uint32_t length, uint64_t value, uint32_t digits) {
    for (uint32_t i = digits; i != 0; --i) {
      text[length + i - 1] = static_cast<char>('0' + value % 10);
      value /= 10;
    }
    return length + digits;
  }

  static uint32_t count_digits(uint64_t value) {
    uint32_t digits = 1;
    while (value >= 10) {
      value /= 10;
      ++digits;
    }
    return digits;
  }

  uint32_t append_fixed(char* text, uint32_t length, double value) const {
    auto whole = static_cast<uint64_t>(value);
    const double unit = power_of_ten(static_cast<int>(precision_));
    uint64_t fraction = rounded((value - static_cast<double>(whole)) * unit);
    if (precision_ == 0) {
      whole = rounded(value);
      fraction = 0;
    } else if (static_cast<double>(fraction) >= unit) {
      ++whole;
      fraction = 0;
    }
    length = append_digits(text, length, whole, count_digits(whole));
    if (precision_ == 0) return length;
    text[length++] = '.';
    return append_digits(text, length, fraction, precision_);
  }

  // `precision` significant digits without trailing zeros, with an exponent when the value is large
  // or small.
  uint32_t append_general(char* text, uint32_t length, double value) const {
    if (value == 0) {
      text[length++] = '0';
      return length;
    }
    const int precision = precision_ == 0 ? 1 : static_cast<int>(precision_);
    int exponent = 0;
    while (scaled(value, -exponent) >= 10) ++exponent;
    while (scaled(value, -exponent) < 1) --exponent;
    uint64_t digits = rounded(scaled(value, precision - 1 - exponent));
    if (count_digits(digits) > static_cast<uint32_t>(precision)) {
      digits /= 10;
      ++exponent;
    }
    uint32_t count = static_cast<uint32_t>(precision);
    while (count > 1 && digits % 10 == 0) {
      digits /= 10;
      --count;
    }
    const bool scientific = exponent < -4 || exponent >= precision;
    length = append_with_point(text, length, digits, count, scientific ? 0 : exponent);
    return scientific ? append_exponent(text, length, exponent) : length;
  }

  // `count` digits whose first one stands for 10^exponent.
  static uint32_t append_with_point(char* text, uint32_t length, uint64_t digits, uint32_t count,
                                    int exponent) {
    char all[20];
    append_digits(all, 0, digits, count);
    if (exponent < 0) {
      text[length++] = '0';
      text[length++] = '.';
      for (int i = -1; i > exponent; --i) text[length++] = '0';
    }
    for (uint32_t i = 0; i < count; ++i) {
      text[length++] = all[i];
      if (static_cast<int>(i) == exponent && i + 1 < count) text[length++] = '.';
    }
    for (int i = static_cast<int>(count); i <= exponent; ++i) text[length++] = '0';
    return length;
  }

  static uint32_t append_exponent(char* text, uint32_t length, int exponent) {
    text[length++] = 'e';
    text[length++] = exponent < 0 ? '-' : '+';
    const auto value = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
    return append_digits(text, length, value, value < 100 ? 2 : 3);
  }

  char line_[256] = {};
  uint32_t length_ = 0;
  uint32_t width_ = 0;
  uint32_t precision_ = 6;
  uint32_t base_ = 10;
  FloatStyle style_ = FloatStyle::kGeneral;
  bool sticky_width_ = false;
};

inline constinit Printer printer;

}  // namespace lightmetal::kernel
