#pragma once

#include "lightmetal_kernel_abi.h"

// Tile operations beyond the first version's. Circular buffers and their tiles are named as in
// Services: reads count tiles from the read pointer, writes from the write pointer. DST tiles have
// the order of a tile of 32x32 in memory (four 16x16 faces); the faces of a smaller one begin at
// their places there, and its other elements are zero unless an operation has made something of
// them.
namespace lightmetal::kernel_abi {

// Which part of the second operand is used for the whole tile: its first column for every column,
// one of its rows for every row, its first element for every element.
enum class Broadcast : uint32_t { kNone = 0, kColumn = 1, kRow = 2, kScalar = 3 };

// An average is a sum: the scaler divides.
enum class ReduceOp : uint32_t { kSum = 0, kAverage = 1, kMax = 2 };
// What is left: kRow reduces each row to its first element, kColumn each column, kScalar the tile.
enum class ReduceDim : uint32_t { kRow = 0, kColumn = 1, kScalar = 2 };

// Rows of `tiles` tiles side by side, without tiles' order: `rows` rows for each tile, of `columns`
// elements; a row of the whole is row_tiles * columns elements long.
struct RowShape {
  uint32_t rows;
  uint32_t columns;
};

// Who owns a section of DST: the half of it that a kernel computes in, or all of it where the
// kernel asked for that (Context::dst_halves). Sections are released in the order of their commits.
enum class DstCall : uint32_t {
  kAcquire = 0,  // the kernel is about to compute; changes nothing in DST
  kCommit = 1,   // the section is to be packed: what is computed next is in the other half
  kRelease = 2,  // the oldest committed section is packed: its tiles become zeros
  // Since version 7, in a packing part only (lightmetal_kernel_abi_parts.h): (blocks) until a
  // section is committed, which is then packed. There kAcquire (blocks) until a section is free.
  kWait = 3,
};

struct TileServices {
  // `row` is the row that Broadcast::kRow takes.
  void (*binary_tiles_broadcast)(Context*, BinaryOp op, Broadcast broadcast, uint32_t cb_a,
                                 uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t dst,
                                 uint32_t row);
  void (*copy_tile_broadcast)(Context*, Broadcast broadcast, uint32_t cb, uint32_t tile,
                              uint32_t dst);
  // Combines the result with its elements of DST (a maximum, with those that were written since
  // they were zeroed), and makes all other elements of the DST tile zero. Each value is multiplied
  // by the scaler at its place in the direction of reduction, within the first row of the scaler's
  // face: for kScalar once for each direction. A maximum takes of the scaler its power of two only.
  void (*reduce_tile)(Context*, ReduceOp op, ReduceDim dim, uint32_t cb, uint32_t cb_scaler,
                      uint32_t tile, uint32_t tile_scaler, uint32_t dst);
  // The same of tile `index` in the rows of `tiles` tiles at the read pointer. Elements outside
  // `shape` do not count.
  void (*reduce_rows)(Context*, ReduceOp op, ReduceDim dim, uint32_t cb, uint32_t cb_scaler,
                      uint32_t tiles, uint32_t index, uint32_t tile_scaler, uint32_t dst,
                      RowShape shape);
  void (*transpose_tile)(Context*, uint32_t cb, uint32_t tile, uint32_t dst);
  void (*transpose_dst)(Context*, uint32_t dst);
  // One step of a product of blocks: `rows` tiles of the left block, `inner` tiles apart, times
  // `columns` tiles of the right one; adds to rows * columns tiles of DST in a row.
  void (*matmul_block)(Context*, uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b,
                       uint32_t dst, uint32_t transpose_b, uint32_t columns, uint32_t rows,
                       uint32_t inner);
  // The rows of `tiles` tiles side by side become tiles, and back.
  void (*tilize)(Context*, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
                 uint32_t tile_out);
  void (*untilize)(Context*, uint32_t cb_in, uint32_t tiles, uint32_t cb_out, uint32_t tile_in,
                   uint32_t tile_out);
  // Packs `tiles` tiles of DST as rows at the write pointer: they are tiles [first, first + tiles)
  // of rows that are `row_tiles` tiles long, of the block of rows `block`; the part `shape` of each
  // tile.
  void (*pack_untilize)(Context*, uint32_t dst, uint32_t tiles, uint32_t row_tiles, uint32_t first,
                        uint32_t block, uint32_t cb, RowShape shape);
  // Since version 6. A release without a commit commits first. Fails the launch if a kernel
  // acquires or commits a section while all are committed.
  void (*dst_sync)(Context*, DstCall call);
};

}  // namespace lightmetal::kernel_abi
