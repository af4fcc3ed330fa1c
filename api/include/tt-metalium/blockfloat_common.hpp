#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/tile.hpp>
#include <vector>

// Block floating point: 16 neighbours of a face's row share an exponent, and each keeps its sign
// and a magnitude with the leading bit written out. A tile is the exponents, one byte for each row
// of each face, then the signs and magnitudes, face after face, the first in the lowest bits of
// each word.
//
// The shared exponent is the row's largest. Magnitudes are rounded to the nearest, halves away from
// zero, and limited to the largest magnitude; a magnitude of zero has no sign. With `is_exp_a`
// exponents have 5 bits (bias 15), else 8 (bias 127). Denormal floats become zero.
namespace tt::tt_metal::blockfloat {

// `bits` of an element with its sign: 8, 4 or 2. `values` are whole tiles, each row by row when
// `row_major`, else face by face. Throws std::runtime_error when they are not whole tiles, or for
// other `bits`. Tiles are 32x32 unless `tile` is given.
std::vector<uint32_t> pack(tt::stl::Span<const float> values, uint32_t bits, bool row_major,
                           bool is_exp_a, const std::optional<Tile>& tile = std::nullopt);
std::vector<float> unpack(tt::stl::Span<const uint32_t> tiles, uint32_t bits, bool row_major,
                          bool is_exp_a, const std::optional<Tile>& tile = std::nullopt);

// Tiles of `num_bytes` in all, which must be whole tiles; throws std::runtime_error otherwise.
// Random values are uniform in [offset, offset + rand_max_float), and equal seeds give equal tiles.
std::vector<uint32_t> random_tiles(std::size_t num_bytes, uint32_t bits, bool is_exp_a,
                                   float rand_max_float, int seed, float offset);
std::vector<uint32_t> constant_tiles(std::size_t num_bytes, uint32_t bits, float value,
                                     bool is_exp_a);

// The bits of an element with its sign. Throws std::runtime_error for formats without blocks.
uint32_t element_bits(tt::DataFormat format);

// Elements of any type that converts to float, which are packed by their values.
template <typename T>
std::vector<uint32_t> pack_values(tt::stl::Span<const T> values, uint32_t bits, bool row_major,
                                  bool is_exp_a, const std::optional<Tile>& tile) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const T& value : values) floats.push_back(static_cast<float>(value));
  return pack(floats, bits, row_major, is_exp_a, tile);
}

}  // namespace tt::tt_metal::blockfloat

// Tiles of the format, whose bits alone count: `is_exp_a` says the exponent's width.
template <tt::DataFormat BfpFormat, typename T>
std::vector<uint32_t> pack_as_bfp_tiles(
    tt::stl::Span<const T> values, bool row_major_input, bool is_exp_a,
    const std::optional<tt::tt_metal::Tile>& tile = std::nullopt) {
  return tt::tt_metal::blockfloat::pack_values(
      values, tt::tt_metal::blockfloat::element_bits(BfpFormat), row_major_input, is_exp_a, tile);
}
// The name until the summer of 2025.
template <tt::DataFormat BfpFormat>
std::vector<uint32_t> pack_fp32_vec_as_bfp_tiles(
    tt::stl::Span<const float> values, bool row_major_input, bool is_exp_a,
    const std::optional<tt::tt_metal::Tile>& tile = std::nullopt) {
  return pack_as_bfp_tiles<BfpFormat>(values, row_major_input, is_exp_a, tile);
}

// One element, as the bits of a float and as those of a block format, under the shared exponent
// that is stored with it. `bfp_format` is Bfp8, Bfp4 or Bfp2; `is_exp_a` says the exponent's width,
// in place of the format's _b. `truncate_bfp_mantissa` rounds towards zero.
uint8_t convert_u32_to_bfp(tt::DataFormat bfp_format, uint32_t input, uint32_t shared_exp,
                           bool is_exp_a, bool truncate_bfp_mantissa);
uint32_t convert_bfp_to_u32(tt::DataFormat bfp_format, uint8_t data, uint8_t shared_exp,
                            bool is_exp_a);
template <tt::DataFormat BfpFormat, bool truncate_bfp_mantissa = false>
uint8_t convert_u32_to_bfp(uint32_t input, uint32_t shared_exp, bool is_exp_a) {
  return convert_u32_to_bfp(BfpFormat, input, shared_exp, is_exp_a, truncate_bfp_mantissa);
}

// The parts of which a tile is packed. The exponent that floats, given as their bits, share: the
// largest of them, as it is stored.
uint8_t get_max_exp(const std::vector<uint32_t>& values, bool is_exp_a);
// Four exponents in one word, the first in its lowest byte, and words of as many exponents each.
uint32_t get_exp_dword(const std::vector<uint8_t>& exponents);
std::vector<uint32_t> pack_exponents(const std::vector<uint8_t>& exponents,
                                     std::size_t num_elements_in_dword);
// Byte `index` of a word; 0 is the lowest.
constexpr uint32_t get_byte(uint32_t word, uint32_t index) { return word >> 8 * index & 0xFF; }
// Elements of a block format in one word, the first in its lowest bits. `values` are the bits of
// floats.
uint32_t create_packed_bfp_packed_as_u32(tt::DataFormat bfp_format,
                                         const std::vector<uint32_t>& values, uint32_t shared_exp,
                                         bool is_exp_a);
template <tt::DataFormat BfpFormat>
uint32_t create_packed_bfp_packed_as_u32(const std::vector<uint32_t>& values, uint32_t shared_exp,
                                         bool is_exp_a) {
  return create_packed_bfp_packed_as_u32(BfpFormat, values, shared_exp, is_exp_a);
}
