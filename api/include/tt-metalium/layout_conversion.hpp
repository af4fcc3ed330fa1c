#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/span.hpp>
#include <type_traits>
#include <vector>

// Layouts of matrices on the host. Elements are of any trivially copyable type. Errors are thrown
// as std::runtime_error.

enum class TensorLayoutType {
  LIN_ROW_MAJOR = 0,   // row after row of the matrix
  TILED_SWIZZLED = 1,  // tile after tile, each row by row
  // Tile after tile, each face after face, each row by row: what devices compute on.
  TILED_NFACES = 2,
};
namespace tests::utils {
using ::TensorLayoutType;  // as releases of 2025 and 2026 call it
}  // namespace tests::utils
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

// Copies `data`, which holds matrices of `shape`, one after the other, from one layout to another.
// Tiles are 32x32 with 16x16 faces unless given. Transposition is of data in TILED_NFACES: of each
// face within itself, and of the order of a tile's faces. Throws when `data` are not whole
// matrices, or when matrices, tiles and faces do not divide evenly.
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
// The same with a shape of any rank: the last two dimensions are those of a matrix, the others
// count the matrices.
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

template <typename T, typename Shape>
requires(std::is_convertible_v<const Shape&, tt::stl::Span<const uint32_t>> &&
         !std::is_same_v<Shape, PhysicalSize>)
    std::vector<T> convert_layout(tt::stl::Span<const T> data, const Shape& shape,
                                  TensorLayoutType from, TensorLayoutType to,
                                  std::optional<PhysicalSize> tile_shape = std::nullopt,
                                  std::optional<PhysicalSize> face_shape = std::nullopt,
                                  bool transpose_within_face = false,
                                  bool transpose_of_faces = false) {
  const tt::stl::Span<const uint32_t> extents = shape;
  return convert_layout(std::vector<T>(data.begin(), data.end()),
                        std::vector<uint32_t>(extents.begin(), extents.end()), from, to, tile_shape,
                        face_shape, transpose_within_face, transpose_of_faces);
}

// Argument-dependent lookup must not find these: later programs have functions of the same names.
namespace tt::tt_metal::tile_layouts {

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
template <typename T>
std::vector<T> convert_to_tile_layout(tt::stl::Span<const T> data,
                                      std::optional<PhysicalSize> tile_shape = std::nullopt,
                                      std::optional<PhysicalSize> face_shape = std::nullopt,
                                      bool transpose_face = false,
                                      bool transpose_face_order = false) {
  return convert_to_tile_layout(std::vector<T>(data.begin(), data.end()), tile_shape, face_shape,
                                transpose_face, transpose_face_order);
}
template <typename T>
std::vector<T> convert_to_flat_layout(tt::stl::Span<const T> data,
                                      std::optional<PhysicalSize> tile_shape = std::nullopt,
                                      std::optional<PhysicalSize> face_shape = std::nullopt,
                                      bool transpose_face = false,
                                      bool transpose_face_order = false) {
  return convert_to_flat_layout(std::vector<T>(data.begin(), data.end()), tile_shape, face_shape,
                                transpose_face, transpose_face_order);
}

}  // namespace tt::tt_metal::tile_layouts

using namespace tt::tt_metal::tile_layouts;

// The names of both functions since the spring of 2025.
template <typename T>
std::vector<T> convert_layout_tile_swizzled_to_tile_nfaces(
    tt::stl::Span<const T> data, std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt, bool transpose_face = false,
    bool transpose_face_order = false) {
  return tt::tt_metal::tile_layouts::convert_to_tile_layout(data, tile_shape, face_shape,
                                                            transpose_face, transpose_face_order);
}
template <typename T>
std::vector<T> convert_layout_tile_nfaces_to_tile_swizzled(
    tt::stl::Span<const T> data, std::optional<PhysicalSize> tile_shape = std::nullopt,
    std::optional<PhysicalSize> face_shape = std::nullopt, bool transpose_face = false,
    bool transpose_face_order = false) {
  return tt::tt_metal::tile_layouts::convert_to_flat_layout(data, tile_shape, face_shape,
                                                            transpose_face, transpose_face_order);
}

// Where the elements of a row-major tensor of four dimensions lie.
struct TensAddr {
  std::vector<uint32_t> sh;

  TensAddr(std::vector<uint32_t> shape) : sh(std::move(shape)) {}

  // How many elements.
  uint32_t numel() const {
    uint32_t product = 1;
    for (const uint32_t extent : sh) product *= extent;
    return product;
  }
  // The place of an element, in elements. Throws when it is outside of the tensor.
  int offs(int n, int c, int h, int w) const {
    const std::array<int, 4> place = {n, c, h, w};
    uint32_t offset = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      TT_FATAL(place[i] >= 0 && static_cast<uint32_t>(place[i]) < sh.at(i),
               "Element ({}, {}, {}, {}) is outside of the tensor", n, c, h, w);
      offset = offset * sh[i] + static_cast<uint32_t>(place[i]);
    }
    return static_cast<int>(offset);
  }
};
