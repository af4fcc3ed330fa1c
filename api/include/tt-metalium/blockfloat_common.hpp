#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/span.hpp>
#include <tt-metalium/tile.hpp>
#include <vector>

// Block floating point: 16 neighbours of a face's row share an exponent, and each keeps its sign
// and a magnitude with the leading bit written out. A tile is the exponents, one byte for each row
// of each face, then the signs and magnitudes, face after face, the first in the lowest bits of
// each word.
//   The shared exponent is the row's largest. Magnitudes are rounded to the nearest, halves away
//   from zero, and limited to the largest; a
// magnitude of zero has no sign. With `is_exp_a` exponents have 5 bits (bias 15), else 8 (bias
// 127).
namespace tt::tt_metal::blockfloat {

// `bits` of an element with its sign: 8, 4 or 2. `values` are whole tiles, each row by row when
// `row_major`, else face by face. Throws std::runtime_error when they are not.
std::vector<uint32_t> pack(tt::stl::Span<const float> values, uint32_t bits, bool row_major,
                           bool is_exp_a, const std::optional<Tile>& tile = std::nullopt);
std::vector<float> unpack(tt::stl::Span<const uint32_t> tiles, uint32_t bits, bool row_major,
                          bool is_exp_a, const std::optional<Tile>& tile = std::nullopt);

// Tiles of `num_bytes` in all, which are whole tiles. Uniform in [offset, offset + rand_max_float).
std::vector<uint32_t> random_tiles(std::size_t num_bytes, uint32_t bits, bool is_exp_a,
                                   float rand_max_float, int seed, float offset);
std::vector<uint32_t> constant_tiles(std::size_t num_bytes, uint32_t bits, float value,
                                     bool is_exp_a);

}  // namespace tt::tt_metal::blockfloat
