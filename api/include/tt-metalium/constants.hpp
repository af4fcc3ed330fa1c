#pragma once

#include <cstdint>

// Sizes of a tile, in elements unless the name says otherwise. Kernels include this header, too.
namespace tt::constants {

inline constexpr uint32_t TILE_HEIGHT = 32;
inline constexpr uint32_t TILE_WIDTH = 32;
inline constexpr uint32_t TILE_HW = TILE_HEIGHT * TILE_WIDTH;
inline constexpr uint32_t FACE_HEIGHT = 16;
inline constexpr uint32_t FACE_WIDTH = 16;
inline constexpr uint32_t FACE_HW = FACE_HEIGHT * FACE_WIDTH;

// Bytes of a tile in block floating point: mantissas and one exponent for each 16 of them.
inline constexpr uint32_t BFLOAT8_B_TILE_HW = TILE_HW + 64;
inline constexpr uint32_t BFLOAT4_B_TILE_HW = TILE_HW / 2 + 64;

// Tiles that the destination registers hold.
inline constexpr uint32_t MAX_DST_SIZE = 16;

}  // namespace tt::constants
