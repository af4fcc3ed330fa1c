#include "device/cpu/tiles/block_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"

namespace lightmetal::device::cpu {
namespace {

constexpr uint32_t kRow = 16;  // elements that share an exponent
constexpr uint32_t kRows = kTileElements / kRow;

float float_of_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  return std::bit_cast<float>(sign |
                              std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
}

uint32_t shift_right_to_even(uint32_t value, uint32_t shift) {
  const uint32_t odd = value >> shift & 1;
  return (value + (uint32_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

uint16_t half_of_float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x47800000) return sign | 0x7c00;  // 2^16 and more
  if (magnitude >= 0x38800000) {  // normal halves; rounding up may carry into the exponent
    return static_cast<uint16_t>(sign | shift_right_to_even(magnitude - (uint32_t{112} << 23), 13));
  }
  const uint32_t shift =
      126 - (magnitude >> 23);  // the lowest bit of a half that is not normal is 2^-24
  if (shift > 24) return sign;
  return static_cast<uint16_t>(sign |
                               shift_right_to_even((magnitude & 0x7fffff) | 0x800000, shift));
}

uint32_t exponent_of(float value) { return std::bit_cast<uint32_t>(value) >> 23 & 0xff; }

// Sign and magnitude of an element in a row with `row_exponent`.
uint32_t block_element(float value, uint32_t row_exponent, uint32_t bits) {
  const auto raw = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = exponent_of(value);
  if (exponent == 0) return 0;
  const uint32_t shift = 24 - bits + row_exponent - exponent;
  if (shift > 24) return 0;
  const uint32_t mantissa = (raw & 0x7fffff) | 0x800000;
  const uint32_t rounded = (mantissa + (uint32_t{1} << (shift - 1))) >> shift;
  const uint32_t magnitude = std::min(rounded, (uint32_t{1} << bits) - 1);
  return magnitude == 0 ? 0 : (raw >> 31) << bits | magnitude;
}

}  // namespace

void unpack_float16(const uint16_t* source, float* target) {
  for (uint32_t i = 0; i < kTileElements; ++i) target[i] = float_of_half(source[i]);
}

void pack_float16(const float* source, uint16_t* target) {
  for (uint32_t i = 0; i < kTileElements; ++i) target[i] = half_of_float(source[i]);
}

void unpack_block_floats(uint32_t bits, const uint8_t* source, float* target) {
  const uint32_t width = bits + 1;
  const uint8_t* elements = source + kRows;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const uint32_t raw = elements[i * width / 8] >> i * width % 8;
    const auto magnitude = static_cast<float>(raw & ((1u << bits) - 1));
    const float value = std::ldexp(magnitude, source[i / kRow] - 127 - static_cast<int>(bits - 1));
    target[i] = (raw >> bits & 1) != 0 ? -value : value;
  }
}

void pack_block_floats(uint32_t bits, const float* source, uint8_t* target) {
  const uint32_t width = bits + 1;
  uint8_t* elements = target + kRows;
  std::memset(elements, 0, kTileElements * width / 8);
  for (uint32_t row = 0; row < kRows; ++row) {
    uint32_t exponent = 0;
    for (uint32_t i = 0; i < kRow; ++i)
      exponent = std::max(exponent, exponent_of(source[row * kRow + i]));
    target[row] = static_cast<uint8_t>(exponent);
    for (uint32_t i = row * kRow; i < (row + 1) * kRow; ++i) {
      elements[i * width / 8] |=
          static_cast<uint8_t>(block_element(source[i], exponent, bits) << i * width % 8);
    }
  }
}

}  // namespace lightmetal::device::cpu
