#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tt-metalium/constants.hpp>

namespace tt::tt_metal {

// The faces that an operand is unpacked by where these are not those of its tile. Only the faces of
// tiles are there: what takes a geometry refuses it.
struct FaceGeometry {
  uint32_t face_r_dim = constants::FACE_HEIGHT;
  uint32_t num_faces = constants::TILE_HW / constants::FACE_HW;

  friend constexpr bool operator==(const FaceGeometry&, const FaceGeometry&) = default;
};

}  // namespace tt::tt_metal

template <>
struct std::hash<tt::tt_metal::FaceGeometry> {
  std::size_t operator()(const tt::tt_metal::FaceGeometry& geometry) const noexcept {
    return std::size_t{geometry.face_r_dim} * 31 + geometry.num_faces;
  }
};
