#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tt-metalium/bfloat4.hpp>
#include <tt-metalium/bfloat8.hpp>
#include <vector>

#include "tests/device/tiles/tile_program.h"

// What the host packs is what a device packs and reads.
namespace lightmetal::device::testing {
namespace {

struct HostFormat {
  DataFormat format;
  const char* name;
  bool is_exp_a;
  std::vector<uint32_t> (*pack)(const Tile&, bool is_exp_a);
  Tile (*unpack)(const std::vector<uint32_t>&, bool is_exp_a);

  friend void PrintTo(const HostFormat& format, std::ostream* out) { *out << format.name; }
};

std::vector<uint32_t> pack8(const Tile& tile, bool is_exp_a) {
  return pack_fp32_vec_as_bfp8_tiles(tile, /*row_major_input=*/false, is_exp_a);
}
std::vector<uint32_t> pack4(const Tile& tile, bool is_exp_a) {
  return pack_fp32_vec_as_bfp4_tiles(tile, /*row_major_input=*/false, is_exp_a);
}
Tile unpack8(const std::vector<uint32_t>& words, bool is_exp_a) {
  return unpack_bfp8_tiles_into_float_vec(words, /*row_major_output=*/false, is_exp_a);
}
Tile unpack4(const std::vector<uint32_t>& words, bool is_exp_a) {
  return unpack_bfp4_tiles_into_float_vec(words, /*row_major_output=*/false, is_exp_a);
}

constexpr HostFormat kFormats[] = {{DataFormat::Bfp8_b, "Bfp8_b", false, pack8, unpack8},
                                   {DataFormat::Bfp8, "Bfp8", true, pack8, unpack8},
                                   {DataFormat::Bfp4_b, "Bfp4_b", false, pack4, unpack4},
                                   {DataFormat::Bfp4, "Bfp4", true, pack4, unpack4}};

class HostPacker : public ::testing::TestWithParam<HostFormat> {};

TEST_P(HostPacker, GivesTheBytesThatTheRulesGive) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    Tile tile = random_tile(static_cast<uint32_t>(random()), -100, 100);
    for (float& value : tile) value = std::ldexp(value, static_cast<int>(random() % 60) - 30);
    tile[3] = -0.0f;
    tile[40] = 0x1p-140f;
    tile[80] = std::numeric_limits<float>::infinity();
    tile[100] = -std::numeric_limits<float>::max();
    // Beside 64, ties of 8-bit formats and then of 4-bit ones.
    tile[112] = 64;
    for (uint32_t i = 0; i < 7; ++i) {
      tile[113 + i] = static_cast<float>(i) + 0.5f;
      tile[120 + i] = 16 * (static_cast<float>(i % 4) + 0.5f);
    }
    tile[127] = 0;
    const std::vector<uint32_t> words = GetParam().pack(tile, GetParam().is_exp_a);
    std::vector<std::byte> bytes(words.size() * sizeof(uint32_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    ASSERT_EQ(bytes, encode_tile(GetParam().format, tile, Ties::kToEven));
    ASSERT_EQ(GetParam().unpack(words, GetParam().is_exp_a), decode_tile(GetParam().format, bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HostPacker, ::testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lightmetal::device::testing
