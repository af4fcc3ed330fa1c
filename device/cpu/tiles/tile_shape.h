#pragma once

#include <cstdint>

#include "base/data_format.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// The formats and shapes of tiles. A tile is made of faces of 16 columns and of 16 rows, or all its
// rows where it has fewer; in memory they follow one another by rows of faces. In DST, and in all
// arithmetic, each face begins at its place in a tile of 32x32 (arithmetic.h), and what the tile
// does not have of one is zero. So a tile of 32x32 is the same in both, and is never touched by
// what is here.
namespace lightmetal::device::cpu {

using kernel_abi::RowShape;

inline DataFormat format_of(const kernel_abi::CircularBuffer& cb) {
  return static_cast<DataFormat>(cb.format);
}

inline bool is_whole(const kernel_abi::CircularBuffer& cb) { return cb.tile_shape == 0; }
inline RowShape shape_of(const kernel_abi::CircularBuffer& cb) {
  return {kernel_abi::tile_rows(cb), kernel_abi::tile_columns(cb)};
}

// 1, 2, 4, 8, 16 or 32 rows of 16 or 32 columns.
bool is_tile_shape(RowShape shape);

// The same circular buffer with tiles of 32x32.
kernel_abi::CircularBuffer with_whole_tiles(const kernel_abi::CircularBuffer& cb);

// Bytes of an element; 0 for a block format, whose exponents come on top.
uint32_t element_bytes(DataFormat format);

// The bytes of a tile of `shape` as the first ones of a tile of 32x32 in the same format, and back.
// In a block format the exponents of all rows come first.
void widen_bytes(DataFormat format, RowShape shape, const char* source, char* whole);
void narrow_bytes(DataFormat format, RowShape shape, const char* whole, char* target);

// The elements of a tile of `shape`, one behind the other as in memory, to their places in DST, and
// back.
void spread_faces(RowShape shape, const float* elements, float* tile);
void gather_faces(RowShape shape, const float* tile, float* elements);

}  // namespace lightmetal::device::cpu
