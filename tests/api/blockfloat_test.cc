#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <tt-metalium/bfloat4.hpp>
#include <tt-metalium/bfloat8.hpp>
#include <vector>

namespace {

std::vector<uint8_t> bytes_of(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

TEST(BlockFloatTest, TilesHaveTheirSizes) {
  const std::vector<float> zeros(2 * 1024, 0.0f);
  EXPECT_EQ(pack_fp32_vec_as_bfp8_tiles(zeros, true, false).size() * 4, 2u * 1088);
  EXPECT_EQ(pack_fp32_vec_as_bfp4_tiles(zeros, true, false).size() * 4, 2u * 576);
}

TEST(BlockFloatTest, OneIsTheSharedExponentAndALeadingBit) {
  std::vector<float> values(1024, 0.0f);
  values[0] = 1.0f;
  values[1] = -0.5f;
  const auto tile = bytes_of(pack_fp32_vec_as_bfp8_tiles(values, true, false));
  EXPECT_EQ(tile[0], 127);
  EXPECT_EQ(tile[1], 0);
  EXPECT_EQ(tile[64], 0x40);
  EXPECT_EQ(tile[65], 0x80 | 0x20);
  const auto half_tile = bytes_of(pack_fp32_vec_as_bfp4_tiles(values, true, false));
  EXPECT_EQ(half_tile[64], 0xA4);  // 1.0 in the lower half: 0100; -0.5: 1010
}

TEST(BlockFloatTest, RowsOfTheTopRightFaceHaveTheirOwnExponents) {
  std::vector<float> values(1024, 1.0f);
  values[16] = 4.0f;  // first row, second face
  const auto tile = bytes_of(pack_fp32_vec_as_bfp8_tiles(values, true, false));
  EXPECT_EQ(tile[0], 127);
  EXPECT_EQ(tile[16], 129);
  EXPECT_EQ(tile[64 + 256], 0x40);
  EXPECT_EQ(tile[64 + 257], 0x10);
  const auto in_faces = bytes_of(pack_fp32_vec_as_bfp8_tiles(values, false, false));
  EXPECT_EQ(in_faces[1], 129);
}

// Upstream's test_blockfloat_common.cpp of September 2025 expects the same of ties.
TEST(BlockFloatTest, TiesGoToTheEvenMagnitudeAndOthersToTheNearest) {
  std::vector<float> values(1024, 1.0f);
  values[0] = 1.0f + 1.0f / 128;  // half a step of 1/64
  values[1] = -(1.0f + 1.0f / 128);
  values[2] = 1.0f + 1.0f / 129;  // less than half
  values[3] = 1.9999f;            // would need one bit more
  values[4] = -1.0f / 1024;       // rounds to zero, which has no sign
  values[5] = 1.0f + 3.0f / 128;
  values[6] = 1.0f + 1.0f / 127;  // more than half
  const auto tile = bytes_of(pack_fp32_vec_as_bfp8_tiles(values, true, false));
  EXPECT_EQ(tile[64], 0x40);
  EXPECT_EQ(tile[65], 0xC0);
  EXPECT_EQ(tile[66], 0x40);
  EXPECT_EQ(tile[67], 0x7F);
  EXPECT_EQ(tile[68], 0x00);
  EXPECT_EQ(tile[69], 0x42);
  EXPECT_EQ(tile[70], 0x41);
}

TEST(BlockFloatTest, ShortExponentsSaturate) {
  std::vector<float> values(1024, 1.0f);
  values[0] = 1e30f;
  const auto words = pack_fp32_vec_as_bfp8_tiles(values, true, true);
  const auto tile = bytes_of(words);
  EXPECT_EQ(tile[0], 31);
  EXPECT_EQ(tile[1], 15);
  EXPECT_EQ(tile[64], 0x7F);
  EXPECT_EQ(unpack_bfp8_tiles_into_float_vec(words, true, true)[16], 1.0f);
}

TEST(BlockFloatTest, ValuesComeBackWithinHalfAStepOfTheirRow) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-100.0f, 100.0f);
  std::vector<float> values(3 * 1024);
  for (float& value : values) value = distribution(random);
  const auto eight = unpack_bfp8_tiles_into_float_vec(
      pack_fp32_vec_as_bfp8_tiles(values, true, false), true, false);
  const auto four = unpack_bfp4_tiles_into_float_vec(
      pack_fp32_vec_as_bfp4_tiles(values, true, false), true, false);
  for (std::size_t row = 0; row < values.size(); row += 16) {
    float largest = 0;
    for (std::size_t i = row; i < row + 16; ++i) largest = std::max(largest, std::fabs(values[i]));
    const float power = std::exp2(std::floor(std::log2(largest)));
    for (std::size_t i = row; i < row + 16; ++i) {
      // A whole step for the largest magnitude, which may have been limited.
      ASSERT_LE(std::fabs(eight[i] - values[i]), power / 64) << i;
      ASSERT_LE(std::fabs(four[i] - values[i]), power / 4) << i;
    }
  }
  EXPECT_EQ(pack_fp32_vec_as_bfp8_tiles(eight, true, false),
            pack_fp32_vec_as_bfp8_tiles(values, true, false));
}

TEST(BlockFloatTest, VectorsAreWholeTiles) {
  const auto words = create_constant_vector_of_bfp8(1088, -3.0f, false);
  EXPECT_EQ(unpack_bfp8_tiles_into_float_vec(words, true, false), std::vector<float>(1024, -3.0f));
  EXPECT_THROW(create_constant_vector_of_bfp8(1024, 1.0f, false), std::runtime_error);
  EXPECT_THROW(pack_fp32_vec_as_bfp8_tiles(std::vector<float>(1000), true, false),
               std::runtime_error);
  EXPECT_EQ(create_random_vector_of_bfp4(576, false, 2, 1),
            create_random_vector_of_bfp4(576, false, 2, 1));
  EXPECT_NE(create_random_vector_of_bfp4(576, false, 2, 1),
            create_random_vector_of_bfp4(576, false, 2, 2));
}

// Values that bfloat16 and integers have, too.
TEST(BlockFloatTest, ElementsOfEveryTypeArePackedByTheirValues) {
  std::vector<float> floats(1024);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i % 128);
  const std::vector<bfloat16> values(floats.begin(), floats.end());
  const std::vector<int32_t> integers(floats.begin(), floats.end());
  const auto eight = pack_fp32_vec_as_bfp8_tiles(floats, true, false);
  const auto four = pack_fp32_vec_as_bfp4_tiles(floats, true, true);
  using tt::stl::make_const_span;
  EXPECT_EQ(pack_as_bfp8_tiles(make_const_span(floats), true, false), eight);
  EXPECT_EQ(pack_as_bfp8_tiles(make_const_span(values), true, false), eight);
  EXPECT_EQ(pack_as_bfp8_tiles(make_const_span(integers), true, false), eight);
  EXPECT_EQ(pack_as_bfp4_tiles(make_const_span(values), true, true), four);
  EXPECT_EQ(pack_as_bfp_tiles<tt::DataFormat::Bfp8_b>(make_const_span(values), true, false), eight);
  EXPECT_EQ(pack_as_bfp_tiles<tt::DataFormat::Bfp4>(make_const_span(floats), true, true), four);
  EXPECT_EQ(pack_fp32_vec_as_bfp_tiles<tt::DataFormat::Bfp4>(floats, true, true), four);
}

// A tile's words are the exponents of its rows, then their elements.
TEST(BlockFloatTest, TheFirstRowOfATileIsMadeOfItsParts) {
  std::vector<float> values(1024, 0.0f);
  for (size_t i = 0; i < 16; ++i) values[i] = 0.5f + static_cast<float>(i);
  for (const bool is_exp_a : {false, true}) {
    const auto tile = pack_fp32_vec_as_bfp8_tiles(values, false, is_exp_a);
    std::vector<uint32_t> row;
    for (size_t i = 0; i < 16; ++i) row.push_back(std::bit_cast<uint32_t>(values[i]));
    const uint8_t exponent = get_max_exp(row, is_exp_a);
    EXPECT_EQ(get_byte(tile[0], 0), exponent);
    EXPECT_EQ(create_packed_bfp_packed_as_u32<tt::DataFormat::Bfp8>(
                  {row.begin() + 4, row.begin() + 8}, exponent, is_exp_a),
              tile[16 + 1]);
  }
  EXPECT_EQ(get_exp_dword({1, 2, 3, 4}), 0x04030201u);
  EXPECT_EQ(pack_exponents({1, 2, 3, 4, 5, 6, 7, 8}, 4),
            (std::vector<uint32_t>{0x04030201, 0x08070605}));
  EXPECT_THROW(pack_exponents({1, 2, 3}, 2), std::runtime_error);
  EXPECT_EQ(get_byte(0x04030201, 2), 3u);
}

}  // namespace
