#pragma once

#include "lightmetal/compute.h"

// Reductions, and rows that were unpacked for one.
namespace lightmetal::kernel {

constexpr ReduceOp reduce_op(ckernel::PoolType type) {
  return type == ckernel::MAX   ? ReduceOp::kMax
         : type == ckernel::AVG ? ReduceOp::kAverage
                                : ReduceOp::kSum;
}
constexpr ReduceDim reduce_dim(ckernel::ReduceDim dim) {
  return dim == ckernel::REDUCE_ROW   ? ReduceDim::kRow
         : dim == ckernel::REDUCE_COL ? ReduceDim::kColumn
                                      : ReduceDim::kScalar;
}

// Tiles that unpack_tilizeA_B_block left for reduce_tile_math, which takes one after the other.
struct UnpackedRows {
  uint32_t cb;
  uint32_t cb_scaler;
  uint32_t tiles;
  uint32_t tile_scaler;
  RowShape shape;
  uint32_t taken;
};
inline UnpackedRows unpacked_rows = {};

constexpr uint32_t faces_of(RowShape shape) {
  return (shape.rows > 16 ? 2 : 1) * (shape.columns / 16);
}

FORCE_INLINE void reduce_next_rows(ReduceOp op, ReduceDim dim, uint32_t dst, uint32_t num_faces) {
  UnpackedRows& rows = unpacked_rows;
  if (num_faces < faces_of(rows.shape))
    fail("reduce_tile_math: the tile was unpacked with more faces than are to be reduced");
  if (rows.taken >= rows.tiles)
    fail("reduce_tile_math: unpack_tilizeA_B_block has left no tile to reduce");
  tiles().reduce_rows(context(), op, dim, rows.cb, rows.cb_scaler, rows.tiles, rows.taken++,
                      rows.tile_scaler, dst, rows.shape);
}

}  // namespace lightmetal::kernel
