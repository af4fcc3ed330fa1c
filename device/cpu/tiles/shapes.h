#pragma once

#include <cstdint>

#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// Moving, gathering and reducing the elements of a tile (arithmetic.h says what a tile is). The
// functions allocate nothing and keep no state. Pointers need no alignment; source and target are
// different tiles. Thread-safe.
namespace lightmetal::device::cpu {

// Fills the target with the part of the source that `broadcast` names; kNone copies. Elements keep
// their bits, so they may be integers.
void broadcast_tile(kernel_abi::Broadcast broadcast, uint32_t row, const float* source,
                    float* target);

// Transposes the tile as a matrix. Elements keep their bits, so they may be integers.
void transpose_elements(const float* source, float* target);

// The result of a reduction: `count` values, one for each row (kRow) or column (kColumn) of the
// shape, or one for kScalar. REQUIRES: elements outside the shape are neutral to the operation.
struct Reduced {
  float values[32];
  uint32_t count;
};
Reduced reduce_floats(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim,
                      kernel_abi::RowShape shape, const float* source, const float* scaler);

// Writes a reduction's result to its elements of `target`, combined with what is there when
// `combine`, and zeros to all other elements. A NaN on either side stays a NaN.
void store_reduced(kernel_abi::ReduceOp op, kernel_abi::ReduceDim dim, const Reduced& result,
                   bool combine, float* target);

// Copies the elements of `source` that hold the results of a reduction, and zeros for all others.
// Elements keep their bits, so they may be integers.
void keep_reduced(kernel_abi::ReduceDim dim, const float* source, float* target);

// Copy the elements of a tile from rows, which are `row_elements` elements long, to the order of a
// tile, and back. Elements have `size` bytes. Copied are the first `rows` rows, and of each the
// first `columns` elements, as `shape` says. With 16 columns, or with 16 rows or fewer, only the
// faces that hold these take part.
void gather_tile(const char* rows_begin, uint64_t row_elements, uint32_t size,
                 kernel_abi::RowShape shape, char* tile);
void scatter_tile(const char* tile, uint64_t row_elements, uint32_t size,
                  kernel_abi::RowShape shape, char* rows_begin);

}  // namespace lightmetal::device::cpu
