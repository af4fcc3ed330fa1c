#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/cpu/tiles/tile_engines.h"
#include "device/kernel_abi/lightmetal_kernel_abi.h"

// Products of tiles of bfloat16 on processors that have instructions for them. These instructions
// compute the product of two bfloat16 exactly and sum in floats, so they keep the precision of
// matmul_floats(). But denormal numbers count as zero, and pairs of products are summed in an order
// of the instructions' own. Tiles have the order of memory (arithmetic.h). Thread-safe.
namespace lightmetal::device::cpu {

// One step of a product of blocks: sums[row * columns + column] += left[row] * right[column], or
// times the transpose of right[column]. The pointers belong to the caller.
struct TileBlock {
  static constexpr uint32_t kMostTiles = kernel_abi::kDstTiles;

  uint32_t rows = 1;
  uint32_t columns = 1;  // rows * columns <= kMostTiles
  bool transpose_right = false;
  const void* left[kMostTiles];  // tiles of bfloat16
  const void* right[kMostTiles];
  float* sums[kMostTiles];  // DST tiles
};

// Whether this processor has such instructions.
bool multiplies_bfloat16();

// REQUIRES: multiplies_bfloat16().
void multiply_bfloat16(const TileBlock& block);

// ---- What multiply_bfloat16 is made of. ----

// The right matrix of a product of tiles, as both kinds of instructions take it: for each half of
// its 32 columns 16 rows of 16 pairs. A pair is two elements of a column, one below the other, with
// the upper one in the low half of the word.
struct RightPairs {
  alignas(64) uint32_t pairs[2][16][16];
};

// Where row `row` of a tile's left (0) or right (1) half of columns begins: rows of a face are 16
// elements.
constexpr size_t row_in_faces(size_t row, size_t half) {
  return (row / 16 * 2 + half) * 256 + row % 16 * 16;
}

inline void pack_right(const void* tile, RightPairs& packed) {
  const auto* elements = static_cast<const uint16_t*>(tile);
  for (size_t half = 0; half < 2; ++half) {
    for (size_t pair = 0; pair < 16; ++pair) {
      const uint16_t* upper = elements + row_in_faces(2 * pair, half);
      for (size_t column = 0; column < 16; ++column) {
        packed.pairs[half][pair][column] = upper[column] | static_cast<uint32_t>(upper[16 + column])
                                                               << 16;
      }
    }
  }
}

// Elements that are below each other in the transpose lie side by side in the tile.
inline void pack_transposed_right(const void* tile, RightPairs& packed) {
  const auto* elements = static_cast<const uint16_t*>(tile);
  for (size_t column = 0; column < 32; ++column) {
    for (size_t pair = 0; pair < 16; ++pair) {
      std::memcpy(&packed.pairs[column / 16][pair][column % 16],
                  elements + row_in_faces(column, pair / 8) + pair % 8 * 2, sizeof(uint32_t));
    }
  }
}

// The left matrix as an engine of tile_engines.h takes it: two halves of 16 rows of 32 elements.
struct LeftRows {
  alignas(64) uint16_t elements[2][16][32];
};

inline void pack_left(const void* tile, LeftRows& packed) {
  const auto* elements = static_cast<const uint16_t*>(tile);
  for (size_t row = 0; row < 32; ++row) {
    for (size_t half = 0; half < 2; ++half) {
      std::memcpy(&packed.elements[row / 16][row % 16][half * 16],
                  elements + row_in_faces(row, half), 16 * sizeof(uint16_t));
    }
  }
}

// A product of tiles on an engine.
template <typename Engine>
void multiply_on_engine(Engine& engine, const LeftRows& left, const RightPairs& right,
                        float* sums) {
  for (int face = 0; face < 4; ++face) engine.load(face, sums + face * 256);
  for (int half = 0; half < 2; ++half) {
    engine.load(4 + half, left.elements[half]);
    engine.load(6 + half, right.pairs[half]);
  }
  for (int face = 0; face < 4; ++face) engine.multiply(face);
  for (int face = 0; face < 4; ++face) engine.store(face, sums + face * 256);
}

// The right tiles are packed once for all rows, the left ones once for all columns.
template <typename Engine>
void multiply_block_on_engine(Engine& engine, const TileBlock& block) {
  RightPairs right[TileBlock::kMostTiles];
  for (uint32_t column = 0; column < block.columns; ++column) {
    (block.transpose_right ? pack_transposed_right : pack_right)(block.right[column],
                                                                 right[column]);
  }
  for (uint32_t row = 0; row < block.rows; ++row) {
    LeftRows left;
    pack_left(block.left[row], left);
    for (uint32_t column = 0; column < block.columns; ++column) {
      multiply_on_engine(engine, left, right[column], block.sums[row * block.columns + column]);
    }
  }
}

}  // namespace lightmetal::device::cpu
