#include "device/cpu/tiles/tile_shape.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "device/cpu/tiles/arithmetic.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::CircularBuffer;

constexpr uint32_t kRow = 16;  // elements of a row of a face

uint32_t elements_of(RowShape shape) { return shape.rows * shape.columns; }

uint32_t exponent_bytes(DataFormat format, uint32_t elements) {
  return element_bytes(format) == 0 ? elements / kRow : 0;
}

// Calls copy(place in memory, place in DST) for each row of each face.
template <typename Copy>
void for_each_row(RowShape shape, Copy copy) {
  const uint32_t face_rows = std::min(shape.rows, 16u);
  uint32_t place = 0;
  for (uint32_t top = 0; top < shape.rows; top += face_rows) {
    for (uint32_t left = 0; left < shape.columns; left += kRow) {
      for (uint32_t row = 0; row < face_rows; ++row, place += kRow)
        copy(place, (top / 16 * 2 + left / kRow) * kFaceElements + row * kRow);
    }
  }
}

}  // namespace

bool is_tile_shape(RowShape shape) {
  return shape.rows <= 32 && std::has_single_bit(shape.rows) &&
         (shape.columns == 16 || shape.columns == 32);
}

CircularBuffer with_whole_tiles(const CircularBuffer& cb) {
  CircularBuffer whole = cb;
  whole.tile_shape = 0;
  whole.tile_bytes = tile_bytes(format_of(cb));
  return whole;
}

uint32_t element_bytes(DataFormat format) {
  const uint32_t bytes = tile_bytes(format);
  return bytes % kTileElements == 0 ? bytes / kTileElements : 0;
}

void widen_bytes(DataFormat format, RowShape shape, const char* source, char* whole) {
  const uint32_t exponents = exponent_bytes(format, elements_of(shape));
  std::memset(whole, 0, tile_bytes(format));
  std::memcpy(whole, source, exponents);
  std::memcpy(whole + exponent_bytes(format, kTileElements), source + exponents,
              tile_bytes(format, elements_of(shape)) - exponents);
}

void narrow_bytes(DataFormat format, RowShape shape, const char* whole, char* target) {
  const uint32_t exponents = exponent_bytes(format, elements_of(shape));
  std::memcpy(target, whole, exponents);
  std::memcpy(target + exponents, whole + exponent_bytes(format, kTileElements),
              tile_bytes(format, elements_of(shape)) - exponents);
}

void spread_faces(RowShape shape, const float* elements, float* tile) {
  std::memset(tile, 0, kTileElements * sizeof(float));
  for_each_row(shape, [&](uint32_t in_memory, uint32_t in_dst) {
    std::memcpy(tile + in_dst, elements + in_memory, kRow * sizeof(float));
  });
}

void gather_faces(RowShape shape, const float* tile, float* elements) {
  std::memset(elements, 0, kTileElements * sizeof(float));
  for_each_row(shape, [&](uint32_t in_memory, uint32_t in_dst) {
    std::memcpy(elements + in_memory, tile + in_dst, kRow * sizeof(float));
  });
}

}  // namespace lightmetal::device::cpu
