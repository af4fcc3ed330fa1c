#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/device/tiles/tiles_test_kit.h"

namespace lightmetal::device::cpu {
namespace {

using testing::HasSubstr;

// ---- Formats ----

TEST(TileMath, EveryBfloat16SurvivesCopyAndPack) {
  Core core;
  core.add_buffer(0, DataFormat::Float16_b);
  core.add_buffer(1, DataFormat::Float16_b);
  for (uint32_t first = 0; first < 0x10000; first += kElements) {
    std::vector<uint16_t> bits(kElements);
    for (uint32_t i = 0; i < kElements; ++i) bits[i] = static_cast<uint16_t>(first + i);
    core.write(0, 0, bits);
    core->copy_tile(core.context(), 0, 0, 0);
    core->pack_tile(core.context(), 0, 1, 0);
    const auto packed = core.read<uint16_t>(1, 0);
    for (uint32_t i = 0; i < kElements; ++i) {
      if (std::isnan(widened(bits[i]))) {
        EXPECT_TRUE(std::isnan(widened(packed[i]))) << bits[i];
      } else {
        EXPECT_EQ(packed[i], bits[i]);
      }
    }
  }
}

TEST(TileMath, PackingToBfloat16RoundsToNearestEven) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float16_b);
  const std::vector<std::pair<uint32_t, uint16_t>> cases = {
      {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80},
      {0x7f7fffff, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0x80000000, 0x8000},
      {0x7f800001, 0x7fc0}, {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0xbf818000, 0xbf82}};
  Tile tile(kElements, 0.0f);
  for (size_t i = 0; i < cases.size(); ++i) tile[i] = std::bit_cast<float>(cases[i].first);
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint16_t>(1, 0);
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(packed[i], cases[i].second) << std::hex << cases[i].first;
}

TEST(TileMath, EveryHalfSurvivesCopyAndPack) {
  Core core;
  core.add_buffer(0, DataFormat::Float16);
  core.add_buffer(1, DataFormat::Float16);
  for (uint32_t first = 0; first < 0x10000; first += kElements) {
    std::vector<uint16_t> bits(kElements);
    for (uint32_t i = 0; i < kElements; ++i) bits[i] = static_cast<uint16_t>(first + i);
    core.write(0, 0, bits);
    core->copy_tile(core.context(), 0, 0, 0);
    core->pack_tile(core.context(), 0, 1, 0);
    const auto packed = core.read<uint16_t>(1, 0);
    for (uint32_t i = 0; i < kElements; ++i) {
      const bool nan = (bits[i] & 0x7fff) > 0x7c00;
      EXPECT_TRUE(nan ? (packed[i] & 0x7fff) > 0x7c00 : packed[i] == bits[i])
          << bits[i] << " " << packed[i];
    }
  }
}

TEST(TileMath, HalvesHaveTheirValue) {
  Core core;
  core.add_buffer(0, DataFormat::Float16);
  std::vector<uint16_t> bits(kElements, 0);
  bits[0] = 0x3c00;
  bits[1] = 0xc100;
  bits[2] = 0x0001;
  bits[3] = 0x7bff;
  bits[4] = 0x8400;
  core.write(0, 0, bits);
  core->copy_tile(core.context(), 0, 0, 0);
  const Tile values = core.dst(0);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.5f);
  EXPECT_EQ(values[2], 0x1p-24f);
  EXPECT_EQ(values[3], 65504.0f);
  EXPECT_EQ(values[4], -0x1p-14f);
}

TEST(TileMath, PackingToHalfRoundsToNearestEven) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Float16);
  const std::vector<std::pair<float, uint16_t>> cases = {
      {1.0f + 0x1p-11f, 0x3c00}, {1.0f + 3 * 0x1p-11f, 0x3c02},
      {65519.0f, 0x7bff},        {65520.0f, 0x7c00},
      {1e10f, 0x7c00},           {0x1p-25f, 0x0000},
      {0x1.8p-25f, 0x0001},      {0x1p-24f, 0x0001},
      {-0x1p-30f, 0x8000},       {0x1.ff8p-15f, 0x03ff},
      {0x1.ffcp-15f, 0x0400},    {0x1p-14f, 0x0400},
      {-kInfinity, 0xfc00}};
  Tile tile(kElements, 0.0f);
  for (size_t i = 0; i < cases.size(); ++i) tile[i] = cases[i].first;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint16_t>(1, 0);
  for (size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(packed[i], cases[i].second) << cases[i].first;
}

TEST(TileMath, IntegersKeepTheirBitsThroughDst) {
  Core core;
  core.add_buffer(0, DataFormat::UInt32);
  core.add_buffer(1, DataFormat::Int32);
  std::mt19937 random(3);
  std::vector<uint32_t> bits(kElements);
  for (uint32_t& value : bits) value = random();
  bits[0] = 0x7f800001;  // as a float, a NaN that arithmetic would change
  core.write(0, 2, bits);
  core->dst_acquire(core.context());
  core->copy_tile(core.context(), 0, 2, 3);
  core->pack_tile(core.context(), 3, 1, 4);
  EXPECT_EQ(core.read<uint32_t>(1, 4), bits);
}

TEST(TileMath, SmallIntegersKeepTheirValue) {
  Core core;
  core.add_buffer(0, DataFormat::UInt16);
  core.add_buffer(1, DataFormat::UInt32);
  core.add_buffer(2, DataFormat::UInt16);
  core.add_buffer(3, DataFormat::UInt8);
  std::vector<uint16_t> values(kElements);
  for (uint32_t i = 0; i < kElements; ++i) values[i] = static_cast<uint16_t>(i * 63);
  core.write(0, 0, values);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  core->pack_tile(core.context(), 0, 2, 0);
  EXPECT_EQ(core.read<uint32_t>(1, 0), std::vector<uint32_t>(values.begin(), values.end()));
  EXPECT_EQ(core.read<uint16_t>(2, 0), values);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 3, 0); }),
              HasSubstr("does not fit"));
}

TEST(TileMath, IntegersAreNotTakenForFloats) {
  Core core;
  core.add_buffer(0, DataFormat::UInt32);
  core.add_buffer(1, DataFormat::Float32);
  core->copy_tile(core.context(), 0, 0, 0);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 1, 0); }),
              HasSubstr("cannot be packed"));
  EXPECT_THAT(failure_of([&] { core->unary_tile(core.context(), UnaryOp::kExp, 0, 0, 0); }),
              HasSubstr("integers"));
  EXPECT_THAT(
      failure_of([&] { core->binary_tiles(core.context(), BinaryOp::kAdd, 0, 1, 0, 0, 1, 0); }),
      HasSubstr("integer formats"));
  core->copy_tile(core.context(), 1, 0, 0);
  EXPECT_THAT(failure_of([&] { core->pack_tile(core.context(), 0, 0, 0); }),
              HasSubstr("cannot be packed"));
}

// What the block formats keep of a row, computed in another way.
Tile block_reference(const Tile& tile, int bits) {
  Tile result(kElements);
  for (uint32_t row = 0; row < kElements; row += 16) {
    int largest = -127;
    for (uint32_t i = row; i < row + 16; ++i) {
      if (tile[i] != 0) largest = std::max(largest, std::ilogb(tile[i]));
    }
    const double unit = std::ldexp(1.0, largest - (bits - 1));
    const double limit = (1 << bits) - 1;
    for (uint32_t i = row; i < row + 16; ++i) {
      const double magnitude = std::min(std::floor(std::abs(tile[i]) / unit + 0.5), limit);
      result[i] =
          static_cast<float>(magnitude == 0 ? 0.0 : std::copysign(magnitude * unit, tile[i]));
    }
  }
  return result;
}

class BlockFormat : public testing::TestWithParam<std::pair<DataFormat, int>> {};

TEST_P(BlockFormat, KeepsWhatFitsItsBits) {
  const auto [format, bits] = GetParam();
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, format);
  Tile tile = random_tile(7);
  for (uint32_t i = 0; i < kElements; i += 5) tile[i] *= 0x1p-6f;
  for (uint32_t i = 32; i < 48; ++i) tile[i] = 0;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 1);
  core->copy_tile(core.context(), 1, 1, 1);
  EXPECT_EQ(core.dst(1), block_reference(tile, bits));
}

INSTANTIATE_TEST_SUITE_P(TileMath, BlockFormat,
                         testing::Values(std::pair{DataFormat::Bfp8_b, 7},
                                         std::pair{DataFormat::Bfp4_b, 3},
                                         std::pair{DataFormat::Bfp2_b, 1}));

TEST(TileMath, BlockFormatHasExponentsFirst) {
  Core core;
  core.add_buffer(0, DataFormat::Float32);
  core.add_buffer(1, DataFormat::Bfp8_b);
  Tile tile(kElements, 0.0f);
  tile[16] = 1.0f;
  tile[17] = -0.5f;
  core.write(0, 0, tile);
  core->copy_tile(core.context(), 0, 0, 0);
  core->pack_tile(core.context(), 0, 1, 0);
  const auto packed = core.read<uint8_t>(1, 0);
  EXPECT_EQ(packed[0], 0);
  EXPECT_EQ(packed[1], 127);
  EXPECT_EQ(packed[64 + 16], 64);
  EXPECT_EQ(packed[64 + 17], 0x80 | 32);
}

TEST(TileMath, UnsupportedFormatFails) {
  Core core;
  core.add_buffer(0, DataFormat::Lf8);
  EXPECT_THAT(failure_of([&] { core->copy_tile(core.context(), 0, 0, 0); }),
              HasSubstr("do not support data format 10"));
}

}  // namespace
}  // namespace lightmetal::device::cpu
