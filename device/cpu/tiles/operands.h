#pragma once

#include <cstdint>

#include "device/cpu/tiles/tile_shape.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"
#include "device/kernel_abi/lightmetal_kernel_abi_tiles.h"

// Tiles in circular buffers, as compute kernels name them: by the index of a circular buffer and
// the number of a tile. Each function fails the launch, and does not return, when the circular
// buffer or the tile does not exist, or has a format that compute kernels cannot take. Pointers
// lead into the core's L1.
namespace lightmetal::device::cpu {

const kernel_abi::CircularBuffer& circular_buffer(kernel_abi::Context* context, uint32_t index);

// Where `bytes` bytes at an L1 address in a circular buffer lie. Hardware moves whole tiles,
// whatever the size of the circular buffer: a range that ends beyond it, but in L1, is tolerated
// (Misuse). `what` and `number` name the range in messages.
char* place_in(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
               uint64_t address, uint64_t bytes, const char* what, uint32_t number);

// Where tile `tile` lies, counted from the page at `pointer`; tiles are a page apart.
char* tile_at(kernel_abi::Context* context, uint32_t index, const kernel_abi::CircularBuffer& cb,
              uint32_t pointer, uint32_t tile);

// Rows without tiles' order: of `tiles` tiles side by side the part `shape` of each, row behind row
// without gaps.
struct RowBlock {
  uint32_t tiles;
  kernel_abi::RowShape shape;
  uint32_t element_bytes;

  uint64_t row_elements() const { return uint64_t{tiles} * shape.columns; }
  uint64_t bytes() const { return row_elements() * shape.rows * element_bytes; }
  // Where in the first row the part of tile `tile` begins.
  uint64_t part(uint32_t tile) const { return uint64_t{tile} * shape.columns * element_bytes; }
};

// Such rows in the format of `cb`. Fails the launch for a block format, which has no rows: its
// exponents belong to rows of faces; for a shape that is larger than 32x32; and for rows of 4 GiB
// or more, which no L1 holds. So bytes() times a number of 32 bits does not wrap, nor does that
// product plus an address of L1 and bytes().
RowBlock row_block(kernel_abi::Context* context, uint32_t index,
                   const kernel_abi::CircularBuffer& cb, uint32_t tiles,
                   kernel_abi::RowShape shape);

// A tile that a kernel computes with, at the read pointer or behind it, in its own format and
// shape.
const void* tile_to_read(kernel_abi::Context* context, uint32_t index, uint32_t tile);
// Whether such tiles can be computed with as they lie: 32x32 elements of bfloat16.
bool holds_whole_bfloat16(kernel_abi::Context* context, uint32_t index);

// A tile that a kernel computes with, as floats. The result is `scratch`, which has room for one
// tile.
const float* operand(kernel_abi::Context* context, uint32_t index, uint32_t tile, float* scratch);

}  // namespace lightmetal::device::cpu
