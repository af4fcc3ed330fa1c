// The policies by which goldens are compared: what is just inside passes, what is just outside does
// not.
#include "replay/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "schema/semantics/golden_policy.h"

namespace lightmetal {
namespace {

using schema::ElementType;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

ComparePolicy policy(const std::string& text) {
  const auto policy = ComparePolicy::parse(text);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return policy.value_or(ComparePolicy{});
}

template <class T>
Bytes view(const std::vector<T>& values) {
  return bytes_of(values.data(), values.size() * sizeof(T));
}

// With and without a look that is fast, which decides alike.
GoldenResult compared_as(ElementType type, const std::string& text, Bytes expected, Bytes found) {
  const GoldenResult result = replay::compare(type, policy(text), expected, found);
  EXPECT_EQ(
      replay::compare(type, policy(text), expected, found, replay::Errors::kOfFailures).passed,
      result.passed)
      << text;
  return result;
}

GoldenResult compared(const std::string& text, const std::vector<float>& expected,
                      const std::vector<float>& found) {
  return compared_as(ElementType::Float32, text, view(expected), view(found));
}

// Each value as the upper half of its bits.
std::vector<uint16_t> bfloat16(const std::vector<float>& values) {
  std::vector<uint16_t> halves;
  for (const float value : values) halves.push_back(std::bit_cast<uint32_t>(value) >> 16);
  return halves;
}

GoldenResult compared_as_bfloat16(const std::string& text, const std::vector<float>& expected,
                                  const std::vector<float>& found) {
  return compared_as(ElementType::BFloat16, text, view(bfloat16(expected)), view(bfloat16(found)));
}

float after(float value, int steps) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) + steps);
}

// ---- Texts ----

TEST(ComparePolicy, ItsTextIsReadBack) {
  for (const std::string text : {"exact", "ulp:2", "atol:0.001,rtol:0.01", "pcc:0.999", "pcc:1",
                                 "exact,as:float32", "ulp:2,as:bfloat16"}) {
    EXPECT_EQ(policy(text).text(), text);
  }
  EXPECT_EQ(policy("rtol:1e-2"), policy("atol:0,rtol:0.01"));
  EXPECT_EQ(policy("rtol:1e-2,atol:2"), policy("atol:2,rtol:0.01"));
  EXPECT_EQ(policy("atol:.5").text(), "atol:0.5,rtol:0");
  EXPECT_TRUE(ComparePolicy{}.is_exact());
}

TEST(ComparePolicy, AnotherTextIsRefusedWithWhatIsExpected) {
  const auto error = [](const std::string& text) {
    return std::string(ComparePolicy::parse(text).status().message());
  };
  for (const std::string text : {"", "close", "exact:1", "Exact", "atol:1,atol:2",
                                 "atol:1,rtol:2,atol:3", "as:float32", "atol:1,", ","}) {
    EXPECT_EQ(error(text),
              "\"" + text +
                  "\" is no policy of comparison: exact, ulp:N, atol:X, rtol:Y, "
                  "atol:X,rtol:Y or pcc:P, also with ,as:float32 or ,as:bfloat16, is expected");
  }
  for (const std::string value : {"", "-1", "+1", " 1", "1 ", "1.5", "4294967296", "x"}) {
    EXPECT_EQ(error("ulp:" + value),
              "ulp takes a whole number from 0 to 4294967295, not \"" + value + "\"");
  }
  for (const std::string value : {"", "-1", "nan", "inf", "1e999", "+1", " 1", "1 ", "1x"}) {
    EXPECT_EQ(error("atol:" + value), "atol takes a number, 0 or more, not \"" + value + "\"");
    EXPECT_EQ(error("atol:1,rtol:" + value),
              "rtol takes a number, 0 or more, not \"" + value + "\"");
  }
  for (const std::string value : {"", "-0.1", "1.01", "nan"}) {
    EXPECT_EQ(error("pcc:" + value), "pcc takes a number from 0 to 1, not \"" + value + "\"");
  }
}

// ---- Exact ----

TEST(Exact, IsOfBits) {
  EXPECT_TRUE(compared("exact", {kNan}, {kNan}).passed);
  EXPECT_FALSE(compared("exact", {kNan}, {after(kNan, 1)}).passed);
  EXPECT_FALSE(compared("exact", {0.0f}, {-0.0f}).passed);
  EXPECT_FALSE(compared("exact", {1}, {after(1, 1)}).passed);
  EXPECT_FALSE(compared_as_bfloat16("exact", {0.0f}, {-0.0f}).passed);
}

TEST(Exact, TellsHowFarIntegersAre) {
  const auto check = [](ElementType type, auto expected, auto found, double error) {
    const std::vector<decltype(expected)> a = {expected, expected}, b = {expected, found};
    const GoldenResult result = replay::compare(type, ComparePolicy{}, view(a), view(b));
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.different, 1u);
    EXPECT_EQ(result.first.at(0).index, 1u);
    EXPECT_EQ(result.max_absolute_error, error);
    EXPECT_EQ(result.max_ulp_error, error);
    EXPECT_TRUE(replay::compare(type, ComparePolicy{}, view(a), view(a)).passed);
  };
  check(ElementType::Bytes, uint8_t{0}, uint8_t{255}, 255);
  check(ElementType::UInt8, uint8_t{3}, uint8_t{2}, 1);
  check(ElementType::UInt16, uint16_t{0}, uint16_t{65535}, 65535);
  check(ElementType::Int32, INT32_MIN, INT32_MAX, 4294967295.0);
  check(ElementType::UInt32, 0u, UINT32_MAX, 4294967295.0);
}

TEST(Exact, IsTheOnlyPolicyOfIntegersAndBytes) {
  for (const ElementType type : schema::EnumValuesElementType()) {
    const bool is_float = type == ElementType::Float32 || type == ElementType::BFloat16;
    EXPECT_EQ(schema::takes_tolerance(type), is_float) << schema::EnumNameElementType(type);
  }
}

// ---- Tolerances ----

TEST(Ulp, CountsTheValuesBetween) {
  for (const float value : {1.0f, -1.0f, 3e38f, 1e-40f, 1.9999999f}) {
    EXPECT_TRUE(compared("ulp:2", {value}, {after(value, 2)}).passed) << value;
    EXPECT_FALSE(compared("ulp:2", {value}, {after(value, 3)}).passed) << value;
    EXPECT_FALSE(compared("ulp:2", {after(value, 3)}, {value}).passed) << value;
    EXPECT_EQ(compared("ulp:2", {value}, {after(value, 3)}).max_ulp_error, 3u);
  }
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(compared("ulp:0", {0.0f}, {-0.0f}).passed);
  EXPECT_TRUE(compared("ulp:2", {tiny}, {-tiny}).passed);
  EXPECT_FALSE(compared("ulp:1", {tiny}, {-tiny}).passed);
  EXPECT_EQ(compared("ulp:0", {3.4028234e38f}, {-3.4028234e38f}).max_ulp_error, 0xFEFFFFFEu);
}

TEST(Ulp, OfBFloat16IsOfItsSixteenBits) {
  EXPECT_TRUE(compared_as_bfloat16("ulp:1", {1}, {1.0078125f}).passed);
  EXPECT_FALSE(compared_as_bfloat16("ulp:1", {1}, {1.015625f}).passed);
  EXPECT_FALSE(compared_as_bfloat16("ulp:1", {-1}, {-1.015625f}).passed);
}

TEST(Tolerance, IsAbsoluteAndRelativeToTheExpectedValue) {
  const auto check = [](auto compare) {
    EXPECT_TRUE(compare("atol:0.5", {8}, {8.5f}).passed);
    EXPECT_FALSE(compare("atol:0.4375", {8}, {8.5f}).passed);
    EXPECT_TRUE(compare("rtol:0.0625", {-8}, {-8.5f}).passed);
    EXPECT_FALSE(compare("rtol:0.0624", {-8}, {-8.5f}).passed);
    EXPECT_TRUE(compare("atol:0.25,rtol:0.03125", {8}, {7.5f}).passed);
    EXPECT_FALSE(compare("atol:0.25,rtol:0.03", {8}, {7.5f}).passed);
    // Relative to 8, not to 4.
    EXPECT_TRUE(compare("rtol:0.5", {8}, {4}).passed);
    EXPECT_FALSE(compare("rtol:0.5", {4}, {8}).passed);
    EXPECT_FALSE(compare("rtol:1000", {0}, {1e-30f}).passed);
  };
  check(compared);
  check(compared_as_bfloat16);
}

TEST(Tolerance, TellsTheLargestErrors) {
  const GoldenResult result = compared("atol:1", {8, 0, 1, -2}, {8.5f, 0.25f, 1, -4});
  EXPECT_EQ(result.different, 1u);
  EXPECT_EQ(result.elements, 4u);
  EXPECT_EQ(result.max_absolute_error, 2);
  EXPECT_EQ(result.max_relative_error, 1);
  EXPECT_EQ(result.first.at(0).index, 3u);
  EXPECT_THAT(result.text(), HasSubstr("1 of 4 Float32 elements differs (atol:1,rtol:0 asked; at "
                                       "most 2 off, 1 of the expected value, "));
}

TEST(Tolerance, NansAreEqualAndNoNumber) {
  for (const std::string text : {"ulp:4294967295", "atol:1e300", "rtol:1e300", "pcc:0"}) {
    for (const auto& compare : {compared, compared_as_bfloat16}) {
      EXPECT_TRUE(compare(text, {kNan, 1, 2}, {-kNan, 1, 2}).passed) << text;
      EXPECT_TRUE(compare(text, {1, 2, kNan}, {1, 2, after(kNan, 1 << 16)}).passed) << text;
      EXPECT_FALSE(compare(text, {1, 2, 3}, {1, 2, kNan}).passed) << text;
      EXPECT_FALSE(compare(text, {1, 2, kNan}, {1, 2, 3}).passed) << text;
      EXPECT_FALSE(compare(text, {1, 2, kNan}, {1, 2, kInfinity}).passed) << text;
    }
  }
}

TEST(Tolerance, InfinitiesAreEqualToThoseOfTheirSign) {
  for (const std::string text : {"ulp:4294967295", "atol:1e300", "rtol:1e300", "pcc:0"}) {
    for (const auto& compare : {compared, compared_as_bfloat16}) {
      EXPECT_TRUE(compare(text, {kInfinity, 1, -0.0f}, {kInfinity, 1, 0.0f}).passed) << text;
      EXPECT_FALSE(compare(text, {kInfinity, 1, 2}, {-kInfinity, 1, 2}).passed) << text;
      EXPECT_FALSE(compare(text, {kInfinity, 1, 2}, {3e38f, 1, 2}).passed) << text;
      EXPECT_FALSE(compare(text, {3e38f, 1, 2}, {kInfinity, 1, 2}).passed) << text;
    }
  }
}

// ---- Correlation ----

TEST(Pcc, IsPearsons) {
  // By hand: the sums of squares about the means are 5 and 6.75, that of products is 4.5.
  const std::vector<float> expected = {1, 2, 3, 4}, found = {2, 1, 4, 4};
  const double pcc = 4.5 / std::sqrt(5 * 6.75);
  for (const auto& compare : {compared, compared_as_bfloat16}) {
    EXPECT_NEAR(compare("pcc:0.5", expected, found).pcc, pcc, 1e-12);
    EXPECT_TRUE(compare("pcc:" + std::to_string(pcc - 1e-5), expected, found).passed);
    EXPECT_FALSE(compare("pcc:" + std::to_string(pcc + 1e-5), expected, found).passed);
  }
  EXPECT_EQ(compared("pcc:0.5", expected, found).different, 3u);
}

TEST(Pcc, SeesNoFactorAndNoOffset) {
  EXPECT_NEAR(compared("pcc:1", {1, 2, 4}, {103, 106, 112}).pcc, 1, 1e-12);
  EXPECT_NEAR(compared("pcc:0", {1, 2, 4}, {-1, -2, -4}).pcc, -1, 1e-12);
}

TEST(Pcc, OfValuesThatAreAllTheSameIsOneOnlyWhenAllAreEqual) {
  EXPECT_EQ(compared("pcc:0", {3, 3, 3}, {3, 3, 3}).pcc, 1);
  EXPECT_EQ(compared("pcc:0", {3, 3, 3}, {1, 2, 3}).pcc, 0);
  EXPECT_EQ(compared("pcc:0", {1, 2, 3}, {0.1f, 0.1f, 0.1f}).pcc, 0);
  EXPECT_FALSE(compared("pcc:0.1", {3}, {4}).passed);
}

TEST(Pcc, KeepsItsDigitsFarFromZero) {
  std::vector<float> expected, found;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back(16'000'000 + static_cast<float>(i % 7));
    found.push_back(16'000'000 + static_cast<float>(i % 7) + static_cast<float>(i % 2));
  }
  // The spread of i % 7 is 4, that of i % 2 is 0.25, and the two are nearly independent.
  EXPECT_NEAR(compared("pcc:0", expected, found).pcc, 4 / std::sqrt(4 * 4.25), 1e-3);
}

// ---- Where and how many ----

TEST(Difference, OfOneElementOfAMillionIsFoundAndPlaced) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<float> expected(1 << 20);
  for (float& value : expected) value = std::normal_distribution<float>()(random);
  std::vector<float> found = expected;
  for (float& value : found) value = after(value, static_cast<int>(random() % 3));
  // Tile 701, in its third face: row 16 + 5, column 9.
  constexpr uint64_t kIndex = 701 * 1024 + 2 * 256 + 5 * 16 + 9;
  for (const std::string text : {"ulp:2", "atol:1e-5,rtol:1e-6"}) {
    EXPECT_TRUE(compared(text, expected, found).passed) << text;
  }
  found[kIndex] = expected[kIndex] + 0.5f;
  for (const std::string text : {"ulp:2", "atol:1e-5,rtol:1e-6"}) {
    const GoldenResult result = compared(text, expected, found);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.elements, uint64_t{1} << 20);
    EXPECT_EQ(result.different, 1u);
    ASSERT_THAT(result.first, SizeIs(1));
    EXPECT_EQ(result.first[0].index, kIndex);
    ASSERT_TRUE(result.first[0].place.has_value());
    EXPECT_EQ(result.first[0].place->tile, 701u);
    EXPECT_EQ(result.first[0].place->row, 21u);
    EXPECT_EQ(result.first[0].place->column, 9u);
  }
}

// Pairs of any bits, and pairs that are near each other, of all magnitudes.
TEST(FastLook, NeverTakesWhatAPolicyRefuses) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::vector<uint32_t> special = {0,          0x80000000, 1,          0x007FFFFF,
                                         0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
                                         0xFF7FFFFF, 0x00800000, 0x7F7FFFFE, 0xFF7FFFFE};
  const auto bits = [&] {
    return random() % 4 == 0 ? special[random() % special.size()] : random();
  };
  for (int i = 0; i < 20000; ++i) {
    const auto expected = static_cast<uint32_t>(bits());
    const uint32_t found = random() % 2 == 0 ? expected + random() % 7 - 3 : bits();
    for (const std::string text :
         {"ulp:0", "ulp:2", "ulp:16777215", "ulp:20000000", "ulp:4294967295", "atol:0",
          "atol:1e-44", "atol:1e300", "rtol:1e-7", "rtol:1e300", "atol:1e-3,rtol:1e-3"}) {
      compared(text, {std::bit_cast<float>(expected)}, {std::bit_cast<float>(found)});
      compared_as_bfloat16(text, {std::bit_cast<float>(expected << 16)},
                           {std::bit_cast<float>(found << 16)});
    }
  }
}

TEST(Difference, HasAPlaceOnlyInWholeTilesOfNumbersThatTilesAreMadeOf) {
  const std::vector<float> row(1023), tile(1024);
  std::vector<float> other_row = row, other_tile = tile;
  other_row[1] = other_tile[1] = 1;
  EXPECT_FALSE(compared("exact", row, other_row).first.at(0).place.has_value());
  EXPECT_TRUE(compared("exact", tile, other_tile).first.at(0).place.has_value());
  EXPECT_FALSE(replay::compare(ElementType::UInt32, {}, view(tile), view(other_tile))
                   .first.at(0)
                   .place.has_value());
}

TEST(Difference, ManyAreCountedBehindTheFirstFive) {
  const std::vector<float> expected(5000, 1);
  std::vector<float> found = expected;
  for (size_t i = 100; i < 5000; i += 2) found[i] = 2;
  found[4999] = kNan;
  for (const std::string text : {"exact", "ulp:7", "atol:0.5", "pcc:0.5"}) {
    const GoldenResult result = compared(text, expected, found);
    EXPECT_FALSE(result.passed) << text;
    EXPECT_EQ(result.different, 2451u) << text;
    ASSERT_THAT(result.first, SizeIs(5));
    EXPECT_EQ(result.first[4].index, 108u);
  }
}

TEST(Difference, InACutElementIsOneUnderEveryPolicy) {
  const std::vector<uint8_t> expected = {0, 0, 1}, found = {0, 0, 2};
  for (const std::string text : {"exact", "ulp:9", "atol:9", "pcc:0"}) {
    const GoldenResult result =
        replay::compare(ElementType::BFloat16, policy(text), view(expected), view(found));
    EXPECT_FALSE(result.passed) << text;
    EXPECT_EQ(result.elements, 2u);
    EXPECT_EQ(result.different, 1u);
    EXPECT_EQ(result.first.at(0).index, 1u);
  }
}

}  // namespace
}  // namespace lightmetal
