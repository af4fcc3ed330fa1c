#pragma once

#include <bit>
#include <cstdint>

// bfloat16, the upper half of an IEEE single, as its bits.
namespace lightmetal {

// To the nearest bfloat16, ties to even. What is no number stays so.
constexpr uint16_t nearest_bfloat16_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

constexpr float float_of_bfloat16_bits(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

}  // namespace lightmetal
