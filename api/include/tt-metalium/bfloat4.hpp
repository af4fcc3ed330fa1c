#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tt-metalium/blockfloat_common.hpp>
#include <vector>

// Tiles of 4-bit block floating point; blockfloat_common.hpp says what they are, and what these
// functions throw.

inline std::vector<uint32_t> pack_fp32_vec_as_bfp4_tiles(
    tt::stl::Span<const float> values, bool row_major_input, bool is_exp_a,
    const std::optional<tt::tt_metal::Tile>& tile = std::nullopt) {
  return tt::tt_metal::blockfloat::pack(values, 4, row_major_input, is_exp_a, tile);
}

// Elements of other types are packed by their values.
template <typename T>
std::vector<uint32_t> pack_as_bfp4_tiles(
    tt::stl::Span<const T> values, bool row_major_input, bool is_exp_a,
    const std::optional<tt::tt_metal::Tile>& tile = std::nullopt) {
  return tt::tt_metal::blockfloat::pack_values(values, 4, row_major_input, is_exp_a, tile);
}

inline std::vector<float> unpack_bfp4_tiles_into_float_vec(
    tt::stl::Span<const uint32_t> tiles, bool row_major_output, bool is_exp_a,
    const std::optional<tt::tt_metal::Tile>& tile = std::nullopt) {
  return tt::tt_metal::blockfloat::unpack(tiles, 4, row_major_output, is_exp_a, tile);
}

inline std::vector<uint32_t> create_random_vector_of_bfp4(std::size_t num_bytes, bool is_exp_a,
                                                          int rand_max_float, int seed,
                                                          float offset = 0.0f) {
  return tt::tt_metal::blockfloat::random_tiles(num_bytes, 4, is_exp_a,
                                                static_cast<float>(rand_max_float), seed, offset);
}

inline std::vector<uint32_t> create_constant_vector_of_bfp4(std::size_t num_bytes, float value,
                                                            bool is_exp_a) {
  return tt::tt_metal::blockfloat::constant_tiles(num_bytes, 4, value, is_exp_a);
}
