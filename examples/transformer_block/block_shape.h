#pragma once

#include <cstdint>
#include <tt-metalium/constants.hpp>

namespace example::transformer {

// The sizes of an encoder block. Tokens, width and the width of a head are multiples of 32.
struct BlockShape {
  uint32_t tokens = 128;
  uint32_t width = 512;
  uint32_t heads = 8;

  uint32_t head_width() const { return width / heads; }
  uint32_t qkv_width() const { return 3 * width; }  // queries, keys and values side by side
  uint32_t mlp_width() const { return 4 * width; }

  bool operator==(const BlockShape&) const = default;
};

// Throws a UsageError that names the size which the block cannot have.
void check_shape(const BlockShape& shape);

// Elements along a side, in tiles.
constexpr uint32_t tiles_in(uint32_t elements) { return elements / tt::constants::TILE_WIDTH; }

}  // namespace example::transformer
