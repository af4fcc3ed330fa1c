#include "examples/transformer_block/block_shape.h"

#include <string>

#include "examples/common/command_line.h"

namespace example::transformer {
namespace {

constexpr uint32_t kSide = tt::constants::TILE_WIDTH;
constexpr uint32_t kLargest = 1 << 16;  // more than fits the device

void check_multiple(const std::string& name, uint32_t value) {
  if (value != 0 && value <= kLargest && value % kSide == 0) return;
  throw UsageError(name + " must be a positive multiple of " + std::to_string(kSide) +
                   ", the side of a tile, up to " + std::to_string(kLargest) + ", not " +
                   std::to_string(value));
}

}  // namespace

void check_shape(const BlockShape& shape) {
  check_multiple("the number of tokens", shape.tokens);
  check_multiple("the width", shape.width);
  if (shape.heads == 0 || shape.width % shape.heads != 0) {
    throw UsageError("the number of heads must divide the width, " + std::to_string(shape.width) +
                     ", which " + std::to_string(shape.heads) + " does not");
  }
  check_multiple("the width of a head (width / heads)", shape.head_width());
}

}  // namespace example::transformer
