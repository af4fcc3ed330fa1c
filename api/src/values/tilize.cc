#include <algorithm>
#include <cstddef>
#include <cstring>
#include <magic_enum/magic_enum.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/layout_conversion.hpp>
#include <tt-metalium/tilize_utils.hpp>

std::ostream& operator<<(std::ostream& os, TensorLayoutType layout) {
  return os << magic_enum::enum_name(layout);
}

namespace {

using tt::tt_metal::detail::LayoutConversion;

// Where the elements of a matrix lie in each layout.
class TileIndex {
 public:
  TileIndex(const LayoutConversion& conversion, const PhysicalSize& tile, const PhysicalSize& face)
      : width_(conversion.shape[1]),
        tile_(tile),
        face_(face),
        faces_{tile[0] / face[0], tile[1] / face[1]},
        transpose_within_face_(conversion.transpose_within_face),
        transpose_of_faces_(conversion.transpose_of_faces) {}

  std::size_t index(TensorLayoutType layout, std::size_t row, std::size_t column) const {
    if (layout == TensorLayoutType::LIN_ROW_MAJOR) return row * width_ + column;
    const std::size_t tile = row / tile_[0] * (width_ / tile_[1]) + column / tile_[1];
    const std::size_t y = row % tile_[0], x = column % tile_[1];
    const std::size_t within =
        layout == TensorLayoutType::TILED_SWIZZLED ? y * tile_[1] + x : index_in_faces(y, x);
    return tile * tile_[0] * tile_[1] + within;
  }

 private:
  std::size_t index_in_faces(std::size_t row, std::size_t column) const {
    const std::size_t face_row = row / face_[0], face_column = column / face_[1];
    const std::size_t y = row % face_[0], x = column % face_[1];
    const std::size_t face = transpose_of_faces_ ? face_column * faces_[0] + face_row
                                                 : face_row * faces_[1] + face_column;
    const std::size_t within = transpose_within_face_ ? x * face_[0] + y : y * face_[1] + x;
    return face * face_[0] * face_[1] + within;
  }

  std::size_t width_;
  PhysicalSize tile_;
  PhysicalSize face_;
  PhysicalSize faces_;
  bool transpose_within_face_;
  bool transpose_of_faces_;
};

bool divides(const PhysicalSize& part, const PhysicalSize& whole) {
  return part[0] != 0 && part[1] != 0 && whole[0] % part[0] == 0 && whole[1] % part[1] == 0;
}

}  // namespace

namespace tt::tt_metal::detail {

void convert_layout(const void* source, void* target, std::size_t count, std::size_t element_size,
                    const LayoutConversion& conversion) {
  const PhysicalSize& shape = conversion.shape;
  const PhysicalSize tile = conversion.tile_shape.value_or(PhysicalSize{32, 32});
  const PhysicalSize face =
      conversion.face_shape.value_or(PhysicalSize{std::min(tile[0], 16u), std::min(tile[1], 16u)});
  TT_FATAL(divides(tile, shape), "A matrix of {}x{} does not divide into tiles of {}x{}", shape[0],
           shape[1], tile[0], tile[1]);
  TT_FATAL(divides(face, tile), "A tile of {}x{} does not divide into faces of {}x{}", tile[0],
           tile[1], face[0], face[1]);
  if (count == 0) return;
  const std::size_t matrix_size = std::size_t{shape[0]} * shape[1];
  TT_FATAL(matrix_size != 0 && count % matrix_size == 0, "{} elements are not matrices of {}x{}",
           count, shape[0], shape[1]);

  const TileIndex index(conversion, tile, face);
  // A row of a face lies together in every layout, unless faces are transposed.
  const std::size_t run = conversion.transpose_within_face ? 1 : face[1];
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(target);
  for (std::size_t matrix = 0; matrix < count; matrix += matrix_size) {
    for (std::size_t row = 0; row < shape[0]; ++row) {
      for (std::size_t column = 0; column < shape[1]; column += run) {
        std::memcpy(to + (matrix + index.index(conversion.to, row, column)) * element_size,
                    from + (matrix + index.index(conversion.from, row, column)) * element_size,
                    run * element_size);
      }
    }
  }
}

}  // namespace tt::tt_metal::detail
