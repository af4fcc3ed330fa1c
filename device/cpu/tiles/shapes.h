#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// Moving and gathering the elements of a tile (arithmetic.h says what a tile is). Nothing is
// allocated or kept; pointers need no alignment; source and target are different tiles.
namespace lightmetal::device::cpu {

// The target is filled with the part of the source that `broadcast` names; kNone copies. Elements
// keep their bits, so they may be integers.
void broadcast_tile(kernel_abi::Broadcast broadcast, uint32_t row, const float* source,
                    float* target);

// Elements keep their bits, so they may be integers.
void transpose_elements(const float* source, float* target);

// The result of a reduction: `count` (32, or 1 for kScalar) values.
struct Reduced {
  float values[32];
  uint32_t count;
};
Reduced reduce_floats(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim, const float* source,
                      const float* scaler);

// Writes a reduction's result to its elements of `target`, combined with what is there when
// `combine`, and zeroes to all others. A NaN on either side stays one.
void store_reduced(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim, const Reduced& result,
                   bool combine, float* target);

// Tile `index` of rows that are `row_elements` elements long, to the order of a tile and back, for
// elements of `size` bytes: the first `rows` rows and of each the first `columns` elements. With 16
// columns, or 16 rows and less, only the faces that hold them take part.
void gather_tile(const char* rows_begin, uint32_t row_elements, uint32_t size,
                 kernel_abi::RowShape shape, char* tile);
void scatter_tile(const char* tile, uint32_t row_elements, uint32_t size,
                  kernel_abi::RowShape shape, char* rows_begin);

}  // namespace lightmetal::device::cpu
