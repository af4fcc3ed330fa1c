#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/span.hpp>
#include <type_traits>
#include <vector>

// Layouts of matrices on the host. Elements are of any trivially copyable type. Errors are thrown
// as std::runtime_error.

enum class TensorLayoutType {
  LIN_ROW_MAJOR = 0,   // row after row of the matrix
  TILED_SWIZZLED = 1,  // tile after tile, each row by row
  TILED_NFACES =
      2,  // tile after tile, each face after face, each row by row: what devices compute on
};
using TensorLayout = TensorLayoutType;
using PhysicalSize = std::array<uint32_t, 2>;  // {height, width}

namespace tt::tt_metal::detail {

struct LayoutConversion {
  PhysicalSize shape;
  TensorLayoutType from;
  TensorLayoutType to;
  std::optional<PhysicalSize> tile_shape;
  std::optional<PhysicalSize> face_shape;
  bool transpose_within_face = false;
  bool transpose_of_faces = false;
};

// What stands behind convert_layout, for elements of any size.
void convert_layout(const void* source, void* target, std::size_t count, std::size_t element_size,
                    const LayoutConversion& conversion);

}  // namespace tt::tt_metal::detail

// `data` holds matrices of `shape`, one after the other. Tiles are 32x32 with 16x16 faces unless
// given. Transposition is of data in TILED_NFACES: of each face within itself, and of the order of
// a tile's faces.
template <typename T>
std::vector<T> convert_layout(tt::stl::Span<const T> data, const PhysicalSize& shape,
                              TensorLayoutType from, TensorLayoutType to,
                              std::optional<PhysicalSize> tile_shape = std::nullopt,
                              std::optional<PhysicalSize> face_shape = std::nullopt,
                              bool transpose_within_face = false, bool transpose_of_faces = false) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied byte by byte");
  std::vector<T> result(data.size());
  tt::tt_metal::detail::convert_layout(
      data.data(), result.data(), data.size(), sizeof(T),
      {shape, from, to, tile_shape, face_shape, transpose_within_face, transpose_of_faces});
  return result;
}
template <typename T>
std::vector<T> convert_layout(const std::vector<T>& data, const PhysicalSize& shape,
                              TensorLayoutType from, TensorLayoutType to,
                              std::optional<PhysicalSize> tile_shape = std::nullopt,
                              std::optional<PhysicalSize> face_shape = std::nullopt,
                              bool transpose_within_face = false, bool transpose_of_faces = false) {
  return convert_layout(tt::stl::Span<const T>(data), shape, from, to, tile_shape, face_shape,
                        transpose_within_face, transpose_of_faces);
}
// The last two dimensions are the matrices'; the others count them.
template <typename T>
std::vector<T> convert_layout(const std::vector<T>& data, const std::vector<uint32_t>& shape,
                              TensorLayoutType from, TensorLayoutType to,
                              std::optional<PhysicalSize> tile_shape = std::nullopt,
                              std::optional<PhysicalSize> face_shape = std::nullopt,
                              bool transpose_within_face = false, bool transpose_of_faces = false) {
  const std::size_t rank = shape.size();
  const PhysicalSize matrix = {rank < 2 ? 1 : shape[rank - 2], rank < 1 ? 1 : shape[rank - 1]};
  return convert_layout(tt::stl::Span<const T>(data), matrix, from, to, tile_shape, face_shape,
                        transpose_within_face, transpose_of_faces);
}

// Between tiles that are each row by row (TILED_SWIZZLED) and tiles in faces (TILED_NFACES).
template <typename T>
std::vector<T> convert_to_tile_layout(const std::vector<T>& data,
                                      std::optional<PhysicalSize> tile_shape = std::nullopt,
                                      std::optional<PhysicalSize> face_shape = std::nullopt,
                                      bool transpose_face = false,
                                      bool transpose_face_order = false) {
  const PhysicalSize tile = tile_shape.value_or(PhysicalSize{32, 32});
  return convert_layout(tt::stl::Span<const T>(data), tile, TensorLayoutType::TILED_SWIZZLED,
                        TensorLayoutType::TILED_NFACES, tile, face_shape, transpose_face,
                        transpose_face_order);
}
template <typename T>
std::vector<T> convert_to_flat_layout(const std::vector<T>& data,
                                      std::optional<PhysicalSize> tile_shape = std::nullopt,
                                      std::optional<PhysicalSize> face_shape = std::nullopt,
                                      bool transpose_face = false,
                                      bool transpose_face_order = false) {
  const PhysicalSize tile = tile_shape.value_or(PhysicalSize{32, 32});
  return convert_layout(tt::stl::Span<const T>(data), tile, TensorLayoutType::TILED_NFACES,
                        TensorLayoutType::TILED_SWIZZLED, tile, face_shape, transpose_face,
                        transpose_face_order);
}
