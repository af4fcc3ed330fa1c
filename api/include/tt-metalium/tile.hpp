#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

// The shape of a tile and of its faces, in elements: {height, width}. A value. Heights are 1, 2, 4,
// 8, 16 and 32, widths 16 and 32; faces are at most 16x16, and only tiles with whole faces can be
// transposed. Throws std::runtime_error for another shape.
class Tile {
 public:
  Tile(std::array<uint32_t, 2> tile_shape = {constants::TILE_HEIGHT, constants::TILE_WIDTH},
       bool transpose_tile = false);

  uint32_t get_num_faces() const { return num_faces_; }
  uint32_t get_tile_hw() const { return tile_shape_[0] * tile_shape_[1]; }
  uint32_t get_face_hw() const { return face_shape_[0] * face_shape_[1]; }
  uint32_t get_height() const { return tile_shape_[0]; }
  uint32_t get_width() const { return tile_shape_[1]; }
  bool get_transpose_within_face() const { return transpose_; }
  bool get_transpose_of_faces() const { return transpose_; }
  const std::array<uint32_t, 2>& get_tile_shape() const { return tile_shape_; }
  const std::array<uint32_t, 2>& get_face_shape() const { return face_shape_; }
  // The bytes of one tile in `format`. Throws std::runtime_error for a format without a tile size.
  uint32_t get_tile_size(const DataFormat& format) const;

  friend bool operator==(const Tile&, const Tile&) = default;

 private:
  std::array<uint32_t, 2> tile_shape_;
  std::array<uint32_t, 2> face_shape_;
  uint32_t num_faces_;
  bool transpose_;
};

}  // namespace tt::tt_metal
