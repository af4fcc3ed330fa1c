#pragma once

#include <cstdint>
#include <ostream>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/layout_conversion.hpp>
#include <utility>
#include <vector>

// Conversion between row-major matrices of m rows and n columns and the devices' layout: 32x32
// tiles, each of four 16x16 faces (top left, top right, bottom left, bottom right), each row by
// row. m and n are multiples of 32; `data` holds one or more matrices. Errors are thrown as
// std::runtime_error.

// Convert in place. Throw for an empty vector.
template <typename T>
void tilize(std::vector<T>& data, uint32_t m, uint32_t n) {
  TT_FATAL(!data.empty(), "There is no matrix to tilize");
  data = convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR,
                        TensorLayoutType::TILED_NFACES);
}
template <typename T>
void untilize(std::vector<T>& data, uint32_t m, uint32_t n) {
  TT_FATAL(!data.empty(), "There is no matrix to untilize");
  data = convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::TILED_NFACES,
                        TensorLayoutType::LIN_ROW_MAJOR);
}

// Of matrices that are constant, return the converted ones.
template <typename T>
std::vector<T> tilize(const std::vector<T>& data, uint32_t m, uint32_t n) {
  std::vector<T> converted = data;
  tilize(converted, m, n);
  return converted;
}
template <typename T>
std::vector<T> untilize(const std::vector<T>& data, uint32_t m, uint32_t n) {
  std::vector<T> converted = data;
  untilize(converted, m, n);
  return converted;
}

// Return the converted matrices.
template <typename T>
std::vector<T> tilize_nfaces(const std::vector<T>& data, uint32_t m, uint32_t n) {
  return convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR,
                        TensorLayoutType::TILED_NFACES);
}
template <typename T>
std::vector<T> untilize_nfaces(const std::vector<T>& data, uint32_t m, uint32_t n) {
  return convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::TILED_NFACES,
                        TensorLayoutType::LIN_ROW_MAJOR);
}

// Convert to and from tiles that are each row by row.
template <typename T>
std::vector<T> tilize_swizzled(const std::vector<T>& data, uint32_t m, uint32_t n) {
  return convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::LIN_ROW_MAJOR,
                        TensorLayoutType::TILED_SWIZZLED);
}
template <typename T>
std::vector<T> untilize_swizzled(const std::vector<T>& data, uint32_t m, uint32_t n) {
  return convert_layout(data, PhysicalSize{m, n}, TensorLayoutType::TILED_SWIZZLED,
                        TensorLayoutType::LIN_ROW_MAJOR);
}
template <typename T>
std::vector<T> tilize_nchw(const std::vector<T>& data, const std::vector<uint32_t>& shape) {
  return convert_layout(data, shape, TensorLayoutType::LIN_ROW_MAJOR,
                        TensorLayoutType::TILED_SWIZZLED);
}
template <typename T>
std::vector<T> untilize_nchw(const std::vector<T>& data, const std::vector<uint32_t>& shape) {
  return convert_layout(data, shape, TensorLayoutType::TILED_SWIZZLED,
                        TensorLayoutType::LIN_ROW_MAJOR);
}

// The next multiples.
constexpr uint32_t round_up_to_mul16(uint32_t value) { return tt::round_up(value, 16u); }
constexpr uint32_t round_up_to_mul32(uint32_t value) { return tt::round_up(value, 32u); }
constexpr uint32_t round_up_to_tile(int value, int tile) {
  return static_cast<uint32_t>(tt::round_up(value, tile));
}

// The name of the enumerator.
std::ostream& operator<<(std::ostream& os, TensorLayoutType layout);
