#include <gtest/gtest.h>

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

TEST(BlockFloatTest, HalvesAreRoundedAwayFromZeroAndLimited) {
  std::vector<float> values(1024, 1.0f);
  values[0] = 1.0f + 1.0f / 128;  // half a step of 1/64
  values[1] = -(1.0f + 1.0f / 128);
  values[2] = 1.0f + 1.0f / 129;  // less than half
  values[3] = 1.9999f;            // would need one bit more
  values[4] = -1.0f / 1024;       // rounds to zero, which has no sign
  const auto tile = bytes_of(pack_fp32_vec_as_bfp8_tiles(values, true, false));
  EXPECT_EQ(tile[64], 0x41);
  EXPECT_EQ(tile[65], 0xC1);
  EXPECT_EQ(tile[66], 0x40);
  EXPECT_EQ(tile[67], 0x7F);
  EXPECT_EQ(tile[68], 0x00);
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

}  // namespace
