#pragma once

#include <fmt/format.h>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <tt-metalium/assert.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bfloat16.h"

// The upper half of an IEEE single: 1 sign, 8 exponent and 7 mantissa bits. A value of two bytes.
// Arithmetic converts to float, computes, and converts back, so each operation rounds.
class bfloat16 {
 public:
  static constexpr std::size_t SIZEOF = 2;

  constexpr bfloat16() = default;
  // Rounds to the nearest value, ties to even, as TT-Metalium's host class does since August 2025.
  // A NaN stays a NaN.
  constexpr bfloat16(float value) : bits_(lightmetal::nearest_bfloat16_bits(value)) {}
  // Integers are raw bits, of which the lower 16 are taken.
  constexpr bfloat16(uint32_t bits) : bits_(static_cast<uint16_t>(bits)) {}
  constexpr bfloat16(int bits) : bits_(static_cast<uint16_t>(bits)) {}
  constexpr bfloat16(uint16_t bits) : bits_(bits) {}
  // Other numbers count by their value.
  template <typename T>
  requires(std::is_arithmetic_v<T>) constexpr bfloat16(T value)
      : bfloat16(static_cast<float>(value)) {}

  // Drops the lower 16 bits: rounds towards zero. A NaN whose only set mantissa bits are dropped
  // becomes an infinity.
  static constexpr bfloat16 truncate(float value) {
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
  }

  constexpr float to_float() const { return std::bit_cast<float>(uint32_t{bits_} << 16); }
  constexpr uint16_t to_packed() const { return bits_; }
  constexpr uint16_t to_uint16() const { return bits_; }
  constexpr operator float() const { return to_float(); }

  // Equal bits. This differs from the comparison of floats in zeros and NaNs.
  friend constexpr bool operator==(const bfloat16&, const bfloat16&) = default;
  friend constexpr bool operator<(const bfloat16& a, const bfloat16& b) {
    return a.to_float() < b.to_float();
  }
  friend constexpr bool operator>(const bfloat16& a, const bfloat16& b) { return b < a; }
  friend constexpr bool operator<=(const bfloat16& a, const bfloat16& b) {
    return a.to_float() <= b.to_float();
  }
  friend constexpr bool operator>=(const bfloat16& a, const bfloat16& b) { return b <= a; }
  friend constexpr bfloat16 operator*(const bfloat16& a, const bfloat16& b) {
    return bfloat16(a.to_float() * b.to_float());
  }
  friend constexpr bfloat16 operator+(const bfloat16& a, const bfloat16& b) {
    return bfloat16(a.to_float() + b.to_float());
  }
  friend constexpr bfloat16 operator-(const bfloat16& a, const bfloat16& b) {
    return bfloat16(a.to_float() - b.to_float());
  }

  friend constexpr bfloat16 operator/(const bfloat16& a, const bfloat16& b) {
    return bfloat16(a.to_float() / b.to_float());
  }
  friend constexpr bfloat16 operator-(const bfloat16& a) { return bfloat16(-a.to_float()); }
  // A float is rounded first. Without these, a float and a value could each become the other.
  friend constexpr bfloat16 operator*(const bfloat16& a, float b) { return a * bfloat16(b); }
  friend constexpr bfloat16 operator*(float a, const bfloat16& b) { return bfloat16(a) * b; }
  friend constexpr bfloat16 operator+(const bfloat16& a, float b) { return a + bfloat16(b); }
  friend constexpr bfloat16 operator+(float a, const bfloat16& b) { return bfloat16(a) + b; }
  friend constexpr bfloat16 operator-(const bfloat16& a, float b) { return a - bfloat16(b); }
  friend constexpr bfloat16 operator-(float a, const bfloat16& b) { return bfloat16(a) - b; }
  friend constexpr bfloat16 operator/(const bfloat16& a, float b) { return a / bfloat16(b); }
  friend constexpr bfloat16 operator/(float a, const bfloat16& b) { return bfloat16(a) / b; }
  friend constexpr bool operator==(const bfloat16& a, float b) { return a == bfloat16(b); }
  friend constexpr bool operator<(const bfloat16& a, float b) { return a < bfloat16(b); }
  friend constexpr bool operator<(float a, const bfloat16& b) { return bfloat16(a) < b; }
  friend constexpr bool operator>(const bfloat16& a, float b) { return a > bfloat16(b); }
  friend constexpr bool operator>(float a, const bfloat16& b) { return bfloat16(a) > b; }
  friend constexpr bool operator<=(const bfloat16& a, float b) { return a <= bfloat16(b); }
  friend constexpr bool operator<=(float a, const bfloat16& b) { return bfloat16(a) <= b; }
  friend constexpr bool operator>=(const bfloat16& a, float b) { return a >= bfloat16(b); }
  friend constexpr bool operator>=(float a, const bfloat16& b) { return bfloat16(a) >= b; }

  constexpr bfloat16& operator+=(const bfloat16& other) { return *this = *this + other; }
  constexpr bfloat16& operator-=(const bfloat16& other) { return *this = *this - other; }
  constexpr bfloat16& operator*=(const bfloat16& other) { return *this = *this * other; }
  constexpr bfloat16& operator/=(const bfloat16& other) { return *this = *this / other; }

 private:
  uint16_t bits_ = 0;
};
static_assert(sizeof(bfloat16) == 2);

std::ostream& operator<<(std::ostream& os, const bfloat16& value);

template <>
struct fmt::formatter<bfloat16> : fmt::formatter<float> {
  template <typename Context>
  auto format(const bfloat16& value, Context& context) const {
    return fmt::formatter<float>::format(value.to_float(), context);
  }
};

template <>
struct std::hash<bfloat16> {
  std::size_t operator()(const bfloat16& value) const noexcept {
    return std::hash<uint16_t>{}(value.to_packed());
  }
};

// Two values in one word, the first in its lower half.
uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two);
std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t packed);
// Both halves the same value.
uint32_t pack_bfloat16_into_uint32(bfloat16 value);

// The vectors below hold packed words, `num_bytes` in all; those of `_native` functions hold
// values. Equal seeds give equal vectors. Values are uniform in [offset, offset + rand_max_float],
// and rounded.
std::vector<uint32_t> create_random_vector_of_bfloat16(std::size_t num_bytes, float rand_max_float,
                                                       int seed, float offset = 0.0f);
std::vector<bfloat16> create_random_vector_of_bfloat16_native(std::size_t num_bytes,
                                                              float rand_max_float, int seed,
                                                              float offset = 0.0f);
// Uniform in [-1, 1), and in [0, 2).
std::vector<uint32_t> create_random_vector_of_bfloat16_1_1(uint32_t num_bytes, int seed);
std::vector<uint32_t> create_random_vector_of_bfloat16_0_2(uint32_t num_bytes, int seed);
// Zeros and ones.
std::vector<uint32_t> create_random_binary_vector_of_bfloat16(std::size_t num_bytes, int seed);
std::vector<uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value);
// 0, 1, 2, ...; when `print` each word is also written to standard output.
std::vector<uint32_t> create_arange_vector_of_bfloat16(std::size_t num_bytes, bool print = false);
// Row-major, with ones on the first `num_ones` places of the diagonal.
std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones);

std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& values);
std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<uint32_t>& packed, const std::function<bfloat16(const bfloat16&)>& transform =
                                             [](const bfloat16& value) { return value; });
std::vector<float> unpack_uint32_vec_into_float_vec(const std::vector<uint32_t>& packed);
std::vector<uint16_t> u16_from_u32_vector(const std::vector<uint32_t>& packed);
std::vector<uint32_t> u32_from_u16_vector(const std::vector<uint16_t>& values);

// Within rtol * max(|a|, |b|) or within atol.
bool is_close(float a, float b, float rtol = 0.01f, float atol = 0.001f);

// True when `comparison` holds for every pair of values. `index_of_failure`, if given, gets the
// index of the first word in which it does not hold. Vectors of different lengths are not equal,
// and set no index.
bool packed_uint32_t_vector_comparison(const std::vector<uint32_t>& a,
                                       const std::vector<uint32_t>& b,
                                       const std::function<bool(float, float)>& comparison,
                                       int* index_of_failure = nullptr);

// Both vectors, value by value, on standard output.
void print_golden_metalium_vectors(std::vector<bfloat16>& golden, std::vector<bfloat16>& result);

// The first `num_tiles` tiles of 32x32 values, row by row, on standard output, each under a title
// with its number, which starts at `first_tile`. Less is printed where less is there.
void print_vec_of_bfloat16(const std::vector<bfloat16>& values, int num_tiles,
                           const std::string& name = "", int first_tile = 0);
void print_vec_of_uint32_as_packed_bfloat16(const std::vector<uint32_t>& packed, int num_tiles,
                                            const std::string& name = "", int first_tile = 0);
void print_vec(const std::vector<uint32_t>& values, int num_tiles, const std::string& name = "",
               int first_tile = 0);

inline bfloat16 bfloat16_identity_transform(const bfloat16& value) { return value; }

// True when the two differ by less than `tolerance`.
bool equal_within_absolute_tolerance(float a, float b, float tolerance);
// True when both round to the same `digits` significant decimal digits.
bool equal_within_n_sig_figs(float a, float b, int digits);
