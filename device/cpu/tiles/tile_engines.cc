#include "device/cpu/tiles/tile_engines.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace lightmetal::device::cpu {
namespace {

float flushed(float value) {
  return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

float widened(uint16_t bits) { return flushed(std::bit_cast<float>(uint32_t{bits} << 16)); }

// Element `column` of a register's row.
template <typename T>
T element(const std::byte* rows, size_t row, size_t column) {
  T value;
  std::memcpy(&value, rows + row * 64 + column * sizeof(T), sizeof(T));
  return value;
}

// An element of the product: even and odd products have sums of their own, which are added last.
float dot(const std::byte* left, const std::byte* right, size_t row, size_t column) {
  float parts[2] = {0, 0};
  for (size_t pair = 0; pair < 16; ++pair) {
    for (size_t i = 0; i < 2; ++i) {
      parts[i] =
          flushed(std::fma(widened(element<uint16_t>(left, row, 2 * pair + i)),
                           widened(element<uint16_t>(right, pair, 2 * column + i)), parts[i]));
    }
  }
  return flushed(parts[0] + parts[1]);
}

}  // namespace

void EmulatedTileEngine::load(int index, const void* rows) {
  std::memcpy(registers_[index], rows, sizeof(registers_[0]));
}

void EmulatedTileEngine::store(int index, void* rows) const {
  std::memcpy(rows, registers_[index], sizeof(registers_[0]));
}

void EmulatedTileEngine::multiply(int face) {
  std::byte* sum = registers_[face];
  const std::byte* left = registers_[4 + face / 2];
  const std::byte* right = registers_[6 + face % 2];
  for (size_t row = 0; row < 16; ++row) {
    for (size_t column = 0; column < 16; ++column) {
      const float before = flushed(element<float>(sum, row, column));
      const float after = flushed(before + dot(left, right, row, column));
      std::memcpy(sum + row * 64 + column * sizeof(float), &after, sizeof(after));
    }
  }
}

}  // namespace lightmetal::device::cpu
