#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <magic_enum/magic_enum.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/layout_conversion.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/math.hpp>
#include <tt-metalium/reflection.hpp>
#include <tt-metalium/shape.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/shape_base.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <tt-metalium/tt_align.hpp>
#include <tt-metalium/util.hpp>
#include <tt-metalium/utils.hpp>
#include <tt-metalium/work_split.hpp>
#include <tt_stl/cleanup.hpp>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/src/support/errors.h"
#include "api/src/values/random_floats.h"
#include "tests/support/process.h"
#include "tests/support/thrown_by.h"

namespace tt::helpers {
namespace {

using lightmetal::testing::thrown_by;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- bfloat16 ----

// Each finite value with what lies on both sides of the middle between it and the next, of both
// signs: the nearest is above the middle, and at the middle the even one.
TEST(Bfloat16Test, FloatsAreRoundedToNearestEven) {
  for (uint32_t sign : {0u, 0x80000000u}) {
    for (uint32_t bits = 0; bits < 0x7F80; ++bits) {
      const auto packed = [&](uint32_t below) {
        return bfloat16(std::bit_cast<float>(sign | bits << 16 | below)).to_packed();
      };
      const uint32_t value = sign >> 16 | bits;
      ASSERT_EQ(packed(0), value);
      ASSERT_EQ(packed(0x7FFF), value);
      ASSERT_EQ(packed(0x8000), value + (bits & 1));
      ASSERT_EQ(packed(0x8001), value + 1) << "infinity after the greatest value";
    }
  }
}

TEST(Bfloat16Test, InfinitiesStayAndNoNaNBecomesOne) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bfloat16(infinity).to_packed(), 0x7F80);
  EXPECT_EQ(bfloat16(-infinity).to_packed(), 0xFF80);
  for (const uint32_t nan : {0x7F800001u, 0x7F80FFFFu, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu}) {
    EXPECT_TRUE(std::isnan(bfloat16(std::bit_cast<float>(nan)).to_float())) << std::hex << nan;
    EXPECT_EQ(std::signbit(bfloat16(std::bit_cast<float>(nan)).to_float()), nan >> 31 != 0);
  }
}

TEST(Bfloat16Test, TruncationIsAskedFor) {
  EXPECT_EQ(bfloat16::truncate(std::bit_cast<float>(0x3F80FFFFu)).to_packed(), 0x3F80);
  EXPECT_EQ(bfloat16::truncate(std::bit_cast<float>(0xBF80FFFFu)).to_packed(), 0xBF80);
}

// As releases write it that have the conversion, and those that do not.
TEST(Bfloat16Test, ValuesAndFloatsMix) {
  const bfloat16 value = 1.5f;
  const float sum = value;
  EXPECT_EQ(sum, 1.5f);
  EXPECT_EQ(std::abs(-value), 1.5f);
  EXPECT_EQ(value * 2.0f, bfloat16(3.0f));
  EXPECT_EQ(4.0f - value, bfloat16(2.5f));
  EXPECT_TRUE(value == 1.5f && value < 2.0f && 1.0f <= value);
  EXPECT_EQ(bfloat16(2.5), bfloat16(2.5f));
  EXPECT_EQ(bfloat16(size_t{3}), bfloat16(3.0f));
  const std::vector<bfloat16> values = {1.0f, 2.0f};
  EXPECT_THAT(std::vector<float>(values.begin(), values.end()), ElementsAre(1.0f, 2.0f));
}

TEST(Bfloat16Test, IntegersAreRawBits) {
  EXPECT_EQ(bfloat16(uint32_t{0x12344049}).to_packed(), 0x4049);
  EXPECT_EQ(bfloat16(uint16_t{0x4049}).to_packed(), 0x4049);
  EXPECT_EQ(bfloat16(0x4049).to_packed(), 0x4049);
  EXPECT_FLOAT_EQ(bfloat16(0x4049).to_float(), 3.140625f);
}

TEST(Bfloat16Test, EveryPatternSurvivesAFloat) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const bool is_nan = (bits & 0x7FFF) > 0x7F80;  // which becomes a quiet one
    ASSERT_EQ(bfloat16(bfloat16(bits).to_float()).to_packed(), bits | (is_nan ? 0x40 : 0));
  }
}

TEST(Bfloat16Test, FirstOfTwoLiesInTheLowerHalf) {
  EXPECT_EQ(pack_two_bfloat16_into_uint32({bfloat16(1.0f), bfloat16(2.0f)}), 0x40003F80u);
  const auto [first, second] = unpack_two_bfloat16_from_uint32(0x40003F80u);
  EXPECT_EQ(first, bfloat16(1.0f));
  EXPECT_EQ(second, bfloat16(2.0f));
}

TEST(Bfloat16Test, RandomVectorsHoldTheirRangeAndRepeat) {
  const auto words = create_random_vector_of_bfloat16(2048, 10, 42, -3.0f);
  ASSERT_EQ(words.size(), 512u);
  std::set<float> different;
  for (const bfloat16 value : unpack_uint32_vec_into_bfloat16_vec(words)) {
    EXPECT_GE(value.to_float(), -3.0f);
    EXPECT_LE(value.to_float(), 7.0f);
    different.insert(value.to_float());
  }
  EXPECT_GT(different.size(), 100u);
  EXPECT_EQ(words, create_random_vector_of_bfloat16(2048, 10, 42, -3.0f));
  EXPECT_NE(words, create_random_vector_of_bfloat16(2048, 10, 43, -3.0f));
  EXPECT_EQ(words, pack_bfloat16_vec_into_uint32_vec(
                       create_random_vector_of_bfloat16_native(2048, 10, 42, -3.0f)));
}

TEST(Bfloat16Test, RandomVectorsOfZeroesAndOnesHoldBothAndRepeat) {
  const auto words = create_random_binary_vector_of_bfloat16(256, 5);
  const auto values = unpack_uint32_vec_into_float_vec(words);
  ASSERT_EQ(values.size(), 128u);
  EXPECT_THAT(values, Each(AnyOf(0.0f, 1.0f)));
  EXPECT_THAT(values, Contains(0.0f));
  EXPECT_THAT(values, Contains(1.0f));
  EXPECT_EQ(words, create_random_binary_vector_of_bfloat16(256, 5));
  EXPECT_NE(words, create_random_binary_vector_of_bfloat16(256, 6));
}

TEST(Bfloat16Test, WordsAreTakenApartAndPutTogether) {
  const std::vector<uint32_t> words = {0x00020001, 0x80040003};
  EXPECT_THAT(u16_from_u32_vector(words), ElementsAre(1, 2, 3, 0x8004));
  EXPECT_EQ(u32_from_u16_vector({1, 2, 3, 0x8004}), words);
  EXPECT_THAT(thrown_by([] { u32_from_u16_vector({1, 2, 3}); }), HasSubstr("3 values do not fill"));
  EXPECT_EQ(pack_bfloat16_into_uint32(bfloat16(1.0f)), 0x3F803F80u);
}

TEST(RandomFloatsTest, AreThoseOfTheStandardDistribution) {
  for (const int seed : {0, 1, 42, -7}) {
    tt::tt_metal::RandomFloats floats(10.5f, seed);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> expected(0.0f, 10.5f);
    for (int i = 0; i < 100'000; ++i) ASSERT_EQ(floats(), expected(engine)) << seed << ", " << i;
  }
}

TEST(Bfloat16Test, VectorsOfKnownValues) {
  EXPECT_THAT(create_constant_vector_of_bfloat16(8, 2.0f), ElementsAre(0x40004000u, 0x40004000u));
  EXPECT_THAT(create_arange_vector_of_bfloat16(8, false), ElementsAre(0x3F800000u, 0x40404000u));
  const auto identity = create_identity_matrix(2, 3, 1);
  EXPECT_THAT(identity, ElementsAre(bfloat16(1.0f), 0.0f, 0.0f, 0.0f, 0.0f, 0.0f));
  EXPECT_THROW(create_identity_matrix(2, 3, 3), std::runtime_error);
}

TEST(Bfloat16Test, UnpackingAppliesTheTransform) {
  const auto values = unpack_uint32_vec_into_bfloat16_vec(
      {0x40003F80u}, [](const bfloat16& v) { return bfloat16(-v.to_float()); });
  EXPECT_THAT(values, ElementsAre(bfloat16(-1.0f), bfloat16(-2.0f)));
}

TEST(Bfloat16Test, CloseMeansRelativeOrAbsolute) {
  EXPECT_TRUE(is_close(100.0f, 100.9f));
  EXPECT_FALSE(is_close(100.0f, 102.0f));
  EXPECT_TRUE(is_close(0.0f, 0.0009f));
  EXPECT_FALSE(is_close(0.0f, 0.002f));
  EXPECT_FALSE(is_close(NAN, 1.0f));
  EXPECT_TRUE(equal_within_absolute_tolerance(1.0f, 0.75f, 0.5f));
  EXPECT_FALSE(equal_within_absolute_tolerance(1.0f, 1.5f, 0.5f)) << "less than the tolerance";
}

TEST(Bfloat16Test, ComparisonLooksAtBothHalves) {
  const auto equal = [](float a, float b) { return a == b; };
  int index = -1;
  EXPECT_TRUE(packed_uint32_t_vector_comparison({1, 0x40003F80}, {1, 0x40003F80}, equal));
  EXPECT_FALSE(packed_uint32_t_vector_comparison({1, 0x40003F80}, {1, 0x40013F80}, equal, &index));
  EXPECT_EQ(index, 1);
  EXPECT_FALSE(packed_uint32_t_vector_comparison({1, 0x40003F80}, {1, 0x40003F81}, equal));
  EXPECT_FALSE(packed_uint32_t_vector_comparison({1}, {1, 1}, equal));
}

// ---- Tiles ----

std::vector<uint32_t> counting(std::size_t size) {
  std::vector<uint32_t> values(size);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(TilizeTest, FacesOfATileComeInTheirOrder) {
  auto data = counting(32 * 32);
  tilize(data, 32, 32);
  EXPECT_EQ(data[0], 0u);
  EXPECT_EQ(data[15], 15u);
  EXPECT_EQ(data[16], 32u);        // second row of the top left face
  EXPECT_EQ(data[256], 16u);       // top right face
  EXPECT_EQ(data[512], 16u * 32);  // bottom left
  EXPECT_EQ(data[768], 16u * 32 + 16);
}

TEST(TilizeTest, EveryElementGoesWhereTheDefinitionSays) {
  constexpr uint32_t kRows = 96, kColumns = 64;
  std::vector<uint16_t> matrix(2 * kRows * kColumns);
  std::iota(matrix.begin(), matrix.end(), 0);
  auto tiled = matrix;
  tilize(tiled, kRows, kColumns);
  std::size_t next = 0;
  for (uint32_t batch = 0; batch < 2; ++batch) {
    for (uint32_t tile_row = 0; tile_row < kRows; tile_row += 32) {
      for (uint32_t tile_column = 0; tile_column < kColumns; tile_column += 32) {
        for (uint32_t face = 0; face < 4; ++face) {
          for (uint32_t element = 0; element < 256; ++element) {
            const uint32_t row = tile_row + face / 2 * 16 + element / 16,
                           column = tile_column + face % 2 * 16 + element % 16;
            ASSERT_EQ(tiled[next++], matrix[batch * kRows * kColumns + row * kColumns + column]);
          }
        }
      }
    }
  }
  untilize(tiled, kRows, kColumns);
  EXPECT_EQ(tiled, matrix);
}

TEST(TilizeTest, AConstantMatrixIsReturnedConverted) {
  const auto matrix = counting(32 * 64);
  EXPECT_EQ(tilize(matrix, 32, 64), tilize_nfaces(matrix, 32, 64));
  EXPECT_EQ(untilize(std::as_const(matrix), 32, 64), untilize_nfaces(matrix, 32, 64));
  EXPECT_THROW(tilize(std::vector<bfloat16>(), 32, 32), std::runtime_error);
}

TEST(TilizeTest, SizesAreRoundedUp) {
  EXPECT_EQ(round_up_to_mul16(17), 32u);
  EXPECT_EQ(round_up_to_mul32(64), 64u);
  EXPECT_EQ(round_up_to_tile(33, 32), 64u);
}

TEST(ConvertLayoutTest, SpansTakeShapesOfEveryRank) {
  const auto matrix = counting(2 * 32 * 64);
  const std::vector<uint32_t> shape = {2, 1, 32, 64};
  const auto convert = [&](const auto& of_shape) {
    return convert_layout(stl::make_const_span(matrix), of_shape, TensorLayoutType::LIN_ROW_MAJOR,
                          TensorLayoutType::TILED_NFACES);
  };
  const auto expected = tilize_nfaces(matrix, 32, 64);
  EXPECT_EQ(convert(shape), expected);
  EXPECT_EQ(convert(stl::Span<const uint32_t>(shape)), expected);
  EXPECT_EQ(convert(std::array<uint32_t, 4>{2, 1, 32, 64}), expected);
  EXPECT_EQ(convert(PhysicalSize{32, 64}), expected);
}

TEST(ConvertLayoutTest, LayoutsHaveNames) {
  std::ostringstream out;
  out << TensorLayoutType::TILED_NFACES;
  EXPECT_EQ(out.str(), "TILED_NFACES");
}

TEST(TilizeTest, WorksForEveryElementSize) {
  std::vector<bfloat16> values(1024);
  for (int i = 0; i < 1024; ++i) values[i] = bfloat16(i);
  EXPECT_EQ(untilize_nfaces(tilize_nfaces(values, 32, 32), 32, 32), values);
  std::vector<uint8_t> bytes(2048);
  std::iota(bytes.begin(), bytes.end(), 0);
  EXPECT_EQ(tilize_nfaces(bytes, 32, 64)[16], bytes[64]);
}

TEST(TilizeTest, ShapesThatAreNoTilesAreRejectedWithTheNumbers) {
  auto data = counting(32 * 48);
  EXPECT_THAT(thrown_by([&] { tilize(data, 32, 48); }), HasSubstr("32x48"));
  EXPECT_THAT(thrown_by([&] { tilize(data, 32, 32); }), HasSubstr("1536 elements"));
  EXPECT_THROW(tilize(data, 0, 0), std::runtime_error);
}

TEST(ConvertLayoutTest, TilesGoBetweenRowsAndFaces) {
  const auto rows = tilize_swizzled(counting(64 * 64), 64, 64);
  EXPECT_EQ(rows[32], 64u);
  EXPECT_EQ(rows[1024], 32u);
  const auto faces = convert_to_tile_layout(rows);
  EXPECT_EQ(faces, tilize_nfaces(counting(64 * 64), 64, 64));
  EXPECT_EQ(convert_to_flat_layout(faces), rows);
  EXPECT_EQ(convert_layout(counting(64 * 64), std::vector<uint32_t>{1, 1, 64, 64},
                           TensorLayoutType::LIN_ROW_MAJOR, TensorLayoutType::TILED_SWIZZLED),
            rows);
}

TEST(ConvertLayoutTest, TransposesFacesAndTheirOrder) {
  const auto data = counting(1024);
  const auto convert = [&](bool within, bool order) {
    return convert_layout(data, PhysicalSize{32, 32}, TensorLayoutType::LIN_ROW_MAJOR,
                          TensorLayoutType::TILED_NFACES, std::nullopt, std::nullopt, within,
                          order);
  };
  EXPECT_EQ(convert(true, false)[1], 32u);
  EXPECT_EQ(convert(true, false)[256], 16u);
  EXPECT_EQ(convert(false, true)[1], 1u);
  EXPECT_EQ(convert(false, true)[256], 16u * 32);
}

TEST(ConvertLayoutTest, SmallTilesHaveSmallFaces) {
  const auto data = counting(16 * 32);
  const auto tiled = convert_layout(data, PhysicalSize{16, 32}, TensorLayoutType::LIN_ROW_MAJOR,
                                    TensorLayoutType::TILED_NFACES, PhysicalSize{8, 32});
  EXPECT_EQ(tiled[16], 32u);
  EXPECT_EQ(tiled[8 * 16], 16u);
  EXPECT_EQ(tiled[8 * 32], 8u * 32);
}

TEST(TileTest, SizesFollowFormatAndShape) {
  EXPECT_EQ(tile_size(DataFormat::Float16_b), 2048u);
  EXPECT_EQ(tile_size(DataFormat::Bfp8_b), constants::BFLOAT8_B_TILE_HW);
  EXPECT_EQ(detail::TileSize(DataFormat::Bfp4_b), constants::BFLOAT4_B_TILE_HW);
  EXPECT_EQ(detail::TileSize(DataFormat::Float32), 4096u);
  EXPECT_EQ(Tile({16, 32}).get_tile_size(DataFormat::Float16_b), 1024u);
  EXPECT_EQ(Tile({8, 32}).get_num_faces(), 2u);
  EXPECT_EQ(Tile().get_num_faces(), 4u);
  EXPECT_THROW(Tile({33, 32}), std::runtime_error);
  EXPECT_THROW(tile_size(DataFormat::Invalid), std::invalid_argument);
  static_assert(tile_size(DataFormat::Float32) == 4096);
  EXPECT_EQ(datum_size(DataFormat::Float32), 4u);
  EXPECT_EQ(datum_size(DataFormat::Bfp8_b), 1u);
  for (const DataFormat format : {DataFormat::Bfp4, DataFormat::Bfp4_b, DataFormat::Bfp2_b}) {
    EXPECT_THAT(thrown_by([&] { datum_size(format); }), HasSubstr("smaller than a byte"));
  }
}

TEST(TileTest, FormatsOfIntegersAreThoseWithANameThatSaysSo) {
  for (int number = 0; number < 256; ++number) {
    const auto format = static_cast<DataFormat>(number);
    const std::string name = fmt::format("{}", format);
    EXPECT_EQ(is_integer_format(format), name.find("Int") != std::string::npos) << name;
  }
}

// ---- Work split ----

uint32_t total(const SplitWork& split) {
  const auto& [cores, all, first, second, first_units, second_units] = split;
  return first.num_cores() * first_units + second.num_cores() * second_units;
}

TEST(WorkSplitTest, FirstGroupHasMoreWork) {
  const auto [cores, all, first, second, first_units, second_units] =
      split_work_to_cores(CoreCoord(8, 8), 400);
  EXPECT_EQ(cores, 64u);
  EXPECT_EQ(first.num_cores(), 16u);
  EXPECT_EQ(second.num_cores(), 48u);
  EXPECT_EQ(first_units, 7u);
  EXPECT_EQ(second_units, 6u);
  EXPECT_EQ(first, CoreRangeSet(CoreRange({0, 0}, {1, 7})));
  EXPECT_EQ(second, CoreRangeSet(CoreRange({2, 0}, {7, 7})));
}

TEST(WorkSplitTest, EvenWorkLeavesTheSecondGroupEmpty) {
  const auto [cores, all, first, second, first_units, second_units] =
      split_work_to_cores(CoreCoord(8, 8), 128, true);
  EXPECT_EQ(first, all);
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(first_units, 2u);
  EXPECT_EQ(second_units, 0u);
}

TEST(WorkSplitTest, LittleWorkTakesFewCores) {
  const auto [cores, all, first, second, first_units, second_units] =
      split_work_to_cores(CoreCoord(8, 8), 9);
  EXPECT_EQ(cores, 9u);
  EXPECT_EQ(all, CoreRangeSet({CoreRange({0, 0}, {0, 7}), CoreRange({1, 0})}));
  EXPECT_EQ(first_units, 1u);
  const auto nothing = split_work_to_cores(CoreCoord(8, 8), 0);
  EXPECT_EQ(std::get<0>(nothing), 0u);
  EXPECT_TRUE(std::get<1>(nothing).empty());
}

TEST(WorkSplitTest, EveryAmountIsSharedOutWhole) {
  for (const bool row_wise : {false, true}) {
    for (uint32_t x = 1; x <= 5; ++x) {
      for (uint32_t y = 1; y <= 5; ++y) {
        for (uint32_t units = 0; units <= 60; ++units) {
          const auto split = split_work_to_cores(CoreCoord(x, y), units, row_wise);
          const auto& [cores, all, first, second, first_units, second_units] = split;
          ASSERT_EQ(total(split), units);
          ASSERT_EQ(all.num_cores(), cores);
          ASSERT_EQ(cores, std::min(units, x * y));
          ASSERT_FALSE(first.intersects(second));
          ASSERT_EQ(first.merge(second), all.merge_ranges());
          if (!second.empty()) {
            ASSERT_EQ(first_units, second_units + 1);
          }
          // The busier cores come first in the order of counting.
          const auto ordered = grid_to_cores(cores, x, y, row_wise);
          for (uint32_t i = 0; i < cores; ++i)
            ASSERT_EQ(first.contains(ordered[i]), i < first.num_cores());
        }
      }
    }
  }
}

TEST(WorkSplitTest, PiecesOfWorkAreDealtOutOneAfterTheOther) {
  const auto [units, cores] = split_work_to_cores_even_multiples(CoreCoord(2, 2), 60, 10);
  EXPECT_THAT(units, ElementsAre(20, 20, 10, 10));
  EXPECT_EQ(cores, CoreRangeSet(CoreRange({0, 0}, {1, 1})));
  const auto [few, one_row] = split_work_to_cores_even_multiples(CoreCoord(8, 8), 20, 10, true);
  EXPECT_THAT(few, ElementsAre(10, 10));
  EXPECT_EQ(one_row, CoreRangeSet(CoreRange({0, 0}, {1, 0})));
  // The last piece is smaller, on the core whose turn it is.
  EXPECT_THAT(std::get<0>(split_work_to_cores_even_multiples(CoreCoord(2, 1), 25, 10)),
              ElementsAre(15, 10));
  EXPECT_THAT(std::get<0>(split_work_to_cores_even_multiples(CoreCoord(2, 1), 0, 10)),
              ::testing::IsEmpty());
  EXPECT_THROW(split_work_to_cores_even_multiples(CoreCoord(2, 1), 5, 0), std::runtime_error);
  EXPECT_THROW(split_work_to_cores_even_multiples(CoreCoord(0, 0), 5, 1), std::runtime_error);
}

TEST(WorkSplitTest, SetsOfCoresAreSplitInTheirOwnOrder) {
  const CoreRangeSet grid({CoreRange({4, 4}, {5, 5}), CoreRange({0, 0})});
  const auto split = split_work_to_cores(grid, 7);
  EXPECT_EQ(total(split), 7u);
  EXPECT_EQ(std::get<2>(split), CoreRangeSet(CoreRange({4, 4}, {4, 5})));
  EXPECT_THROW(split_work_to_cores(CoreRangeSet(), 7), std::runtime_error);
}

TEST(WorkSplitTest, CoresAreCountedFromTheStart) {
  EXPECT_EQ(num_cores_to_corerangeset(10, {8, 8}, true),
            CoreRangeSet({CoreRange({0, 0}, {7, 0}), CoreRange({0, 1}, {1, 1})}));
  EXPECT_EQ(num_cores_to_corerange_set(8, {8, 8}), CoreRangeSet(CoreRange({0, 0}, {0, 7})));
  EXPECT_EQ(num_cores_to_corerangeset({0, 6}, 4, {8, 8}),
            CoreRangeSet({CoreRange({0, 6}, {0, 7}), CoreRange({1, 0}, {1, 1})}));
  EXPECT_THAT(thrown_by([] { num_cores_to_corerangeset(65, {8, 8}); }), HasSubstr("65 cores"));
}

TEST(WorkSplitTest, CoresAreCountedThroughTheRangesOfASet) {
  const CoreRangeSet set({CoreRange({4, 0}, {5, 0}), CoreRange({0, 0}, {0, 1})});
  const auto from = [&](CoreCoord start, uint32_t count) {
    return num_cores_to_corerangeset_in_subcoregrids(start, count, set, false);
  };
  EXPECT_EQ(from({5, 0}, 1), CoreRangeSet(CoreRange({5, 0})));
  EXPECT_EQ(from({5, 0}, 3), CoreRangeSet({CoreRange({0, 0}, {0, 1}), CoreRange({5, 0})}));
  EXPECT_THAT(thrown_by([&] { from({5, 0}, 4); }), HasSubstr("4 cores were asked for"));
  EXPECT_THAT(thrown_by([&] { from({5, 0}, 0); }), HasSubstr("0 cores were asked for"));
  EXPECT_THAT(thrown_by([&] { from({1, 0}, 1); }), HasSubstr("is not in"));
  const CoreRangeSet square(CoreRange({0, 0}, {1, 1}));
  EXPECT_EQ(num_cores_to_corerangeset_in_subcoregrids({1, 0}, 2, square, true),
            CoreRangeSet({CoreRange({0, 1}), CoreRange({1, 0})}));
  EXPECT_EQ(num_cores_to_corerangeset_in_subcoregrids({1, 0}, 2, square, false),
            CoreRangeSet(CoreRange({1, 0}, {1, 1})));
}

TEST(WorkSplitTest, DivisorsOfBlocks) {
  EXPECT_EQ(find_max_divisor(12, 6), 6u);
  EXPECT_EQ(find_max_divisor(35, 7), 1u);  // neither 7 nor 5
  EXPECT_EQ(find_max_block_size(35), 7u);
  EXPECT_EQ(find_max_block_size(13), 1u);
}

// ---- Small things ----

uint32_t sum(stl::Span<const uint32_t> values) {
  return std::accumulate(values.begin(), values.end(), 0u);
}

TEST(SpanTest, BindsToListsVectorsAndArrays) {
  EXPECT_EQ(sum({1, 2, 3}), 6u);
  EXPECT_EQ(sum({}), 0u);
  EXPECT_EQ(sum(std::vector<uint32_t>{4, 5}), 9u);
  std::vector<uint32_t> changeable = {1, 2};
  EXPECT_EQ(sum(changeable), 3u);
  const std::array<uint32_t, 2> array = {7, 8};
  EXPECT_EQ(sum(array), 15u);
  EXPECT_EQ(sum(stl::Span<uint32_t>(changeable)), 3u);
  const uint32_t plain[] = {1, 1};
  EXPECT_EQ(sum(plain), 2u);
  EXPECT_EQ(sum({plain, 1}), 1u);
}

TEST(HalTest, AnswersBeforeADeviceIsOpenInBothForms) {
  EXPECT_EQ(hal::get_l1_alignment(), 16u);
  EXPECT_EQ(hal.get_alignment(HalMemType::DRAM), hal::get_dram_alignment());
  EXPECT_EQ(hal::get_arch_name(), "wormhole_b0");
  EXPECT_EQ(hal::get_arch(), ARCH::WORMHOLE_B0);
  EXPECT_THROW(hal.get_alignment(HalMemType::COUNT), std::runtime_error);
}

TEST(HalTest, RegionsOfMemoryEndWhereMemoryDoes) {
  using Core = HalProgrammableCoreType;
  using L1 = HalL1MemAddrType;
  EXPECT_EQ(hal.get_dev_addr(Core::TENSIX, L1::UNRESERVED) +
                hal.get_dev_size(Core::TENSIX, L1::UNRESERVED),
            hal.get_dev_size(Core::TENSIX, L1::BASE));
  EXPECT_EQ(hal::get_max_worker_l1_unreserved_size(),
            hal.get_dev_size(Core::TENSIX, L1::UNRESERVED));
  EXPECT_EQ(hal.get_dev_size(Core::TENSIX, L1::BASE), hal::get_l1_size());
  EXPECT_EQ(hal.get_dev_addr(Core::ACTIVE_ETH, L1::UNRESERVED),
            hal::get_erisc_l1_unreserved_base());
  EXPECT_EQ(hal.get_dev_size(Core::IDLE_ETH, L1::UNRESERVED), hal::get_erisc_l1_unreserved_size());
  EXPECT_EQ(hal.get_dev_addr(Core::TENSIX, L1::BASE), 0u);
  EXPECT_EQ(hal.get_dev_addr(Core::TENSIX, L1::DEFAULT_UNRESERVED),
            hal.get_dev_addr(Core::TENSIX, L1::UNRESERVED));
  EXPECT_EQ(hal.get_dev_addr(HalDramMemAddrType::UNRESERVED), 32u);
  EXPECT_EQ(hal.get_dev_size(HalDramMemAddrType::UNRESERVED), (1u << 30) - 32u);
}

enum class Phase : uint8_t { kBefore, kAfter = 7 };

TEST(EnumNames, EndWithAZero) {
  EXPECT_STREQ(magic_enum::enum_name(Phase::kBefore).data(), "kBefore");
  EXPECT_STREQ(magic_enum::enum_name<Phase::kAfter>().data(), "kAfter");
  EXPECT_EQ(magic_enum::enum_name(Phase::kAfter), "kAfter");
  EXPECT_EQ(magic_enum::enum_name(static_cast<Phase>(3)), "");
}

struct Box {
  int count;
  std::vector<std::optional<float>> sizes;

  static constexpr auto attribute_names = std::forward_as_tuple("count", "sizes");
  auto attribute_values() const { return std::forward_as_tuple(count, sizes); }
};

TEST(ReflectionTest, ValuesWithinValuesAreFoundInTheirOrder) {
  namespace reflection = tt::stl::reflection;
  const Box box{3, {std::nullopt, 1.5f, 2.5f}};
  EXPECT_EQ(reflection::get_first_object_of_type<float>(box), 1.5f);
  EXPECT_EQ(reflection::get_first_object_of_type<int>(box), 3);
  EXPECT_EQ(reflection::count_object_of_type<float>(box), 2u);
  EXPECT_EQ(reflection::count_object_of_type<double>(box), 0u);
}

TEST(ReflectionTest, AHashIsOfEachPartAndOfTheirOrder) {
  const auto hash = [](int count, const std::vector<std::optional<float>>& sizes) {
    return tt::stl::hash::hash_objects_with_default_seed(Box{count, sizes});
  };
  const std::set<uint64_t> hashes = {hash(1, {}),           hash(2, {}),
                                     hash(1, {1.5f}),       hash(1, {1.5f, 2.5f}),
                                     hash(1, {2.5f, 1.5f}), hash(1, {1.5f, 1.5f})};
  EXPECT_EQ(hashes.size(), 6u);
  EXPECT_EQ(hash(1, {1.5f, 2.5f}), hash(1, {1.5f, 2.5f}));
}

TEST(CleanupTest, ItsFunctionIsCalledOnceUnlessItIsCancelled) {
  int calls = 0;
  {
    auto first = tt::stl::make_cleanup([&] { ++calls; });
    const auto moved = std::move(first);
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
  {
    auto cancelled = tt::stl::make_cleanup([&] { ++calls; });
    std::move(cancelled).cancel();
  }
  EXPECT_EQ(calls, 1);
}

// Programs of late 2025 have a function of this name of their own.
namespace own {

template <typename T>
std::vector<T> convert_to_tile_layout(tt::stl::Span<const T> /*data*/) {
  return {};
}

}  // namespace own

TEST(LayoutConversionTest, LeavesTheNamesOfItsFunctionsToPrograms) {
  using own::convert_to_tile_layout;
  const std::vector<bfloat16> values(32 * 32);
  EXPECT_TRUE(convert_to_tile_layout(tt::stl::Span<const bfloat16>(values)).empty());
  EXPECT_EQ(::convert_to_tile_layout(values), values);
}

TEST(LayoutConversionTest, TakesNoMatrixAtAll) {
  const std::vector<uint32_t> none;
  EXPECT_EQ(convert_layout(none, PhysicalSize{0, 0}, TensorLayoutType::LIN_ROW_MAJOR,
                           TensorLayoutType::TILED_NFACES),
            none);
  const std::vector<uint32_t> one(1);
  EXPECT_THROW(convert_layout(one, PhysicalSize{0, 0}, TensorLayoutType::LIN_ROW_MAJOR,
                              TensorLayoutType::TILED_NFACES),
               std::runtime_error);
}

TEST(ShapeTest, CountsFromBothEndsAndChangesItsRank) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(ShapeBase({2, 3, 4}), shape);
  EXPECT_EQ(shape[-1], 4u);
  EXPECT_EQ(shape.volume(), 24u);
  EXPECT_EQ(shape.to_rank(4), Shape({1, 2, 3, 4}));
  EXPECT_EQ(shape.to_rank(4).to_rank(3), shape);
  EXPECT_THROW(shape.to_rank(2), std::runtime_error);
  EXPECT_THROW(shape[3], std::runtime_error);
  EXPECT_THAT(compute_strides(shape), ElementsAre(12u, 4u, 1u));
  const auto [height, width] = Shape2D(2, 3) * 2;
  EXPECT_EQ(height * 10 + width, 46u);
}

TEST(ShapeTest, HasOnesBeforeItsFirstOfFourDimensions) {
  Shape row({20});
  EXPECT_EQ(std::as_const(row)[-2], 1u);
  EXPECT_EQ(row[-4], 1u);
  EXPECT_THROW(row[-5], std::runtime_error);
  EXPECT_THROW(row[1], std::runtime_error);
  EXPECT_THROW(row.get_normalized_index(-2), std::runtime_error);
  row[-1] = 21;
  EXPECT_EQ(row, Shape({21}));
  EXPECT_EQ(row.rank(), 1u);
  EXPECT_EQ(Shape()[-1], 1u);
  EXPECT_THROW(Shape()[0], std::runtime_error);
  EXPECT_THROW(Shape({1, 2, 3, 4, 5})[-6], std::runtime_error);
  EXPECT_EQ(Shape({1, 2, 3, 4, 5})[-5], 1u);
  EXPECT_NE(Shape({1, 20}), Shape({20}));
}

TEST(UtilsTest, TextIsTakenApartAtEachDelimiter) {
  EXPECT_THAT(utils::strsplit("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(utils::strsplit("", ','), ElementsAre(""));
}

TEST(Bfloat16Test, HasArithmeticAndRandomVectors) {
  bfloat16 value(6.0f);
  value /= bfloat16(2.0f);
  value += bfloat16(1.0f);
  EXPECT_EQ((-value / bfloat16(4.0f)).to_float(), -1.0f);
  EXPECT_TRUE(equal_within_n_sig_figs(1.234f, 1.231f, 3));
  EXPECT_FALSE(equal_within_n_sig_figs(1.234f, 1.231f, 4));
  for (const float x :
       unpack_uint32_vec_into_float_vec(create_random_vector_of_bfloat16_1_1(256, 1)))
    EXPECT_TRUE(x >= -1.0f && x <= 1.0f) << x;
}

TEST(TileAddressTest, FollowsTheTensorsShape) {
  const TensAddr address({2, 3, 4, 5});
  EXPECT_EQ(address.numel(), 120u);
  EXPECT_EQ(address.offs(1, 2, 3, 4), 119);
  EXPECT_THROW(address.offs(0, 0, 4, 0), std::runtime_error);
  std::vector<bfloat16> none;
  EXPECT_THROW(tilize(none, 32, 32), std::runtime_error);
}

TEST(AssertTest, TextHoldsPlaceConditionAndMessage) {
  const std::string error = thrown_by([] { TT_FATAL(1 + 1 == 3, "{} is not {}", 2, "three"); });
  EXPECT_THAT(error, HasSubstr("helpers_test.cc:"));
  EXPECT_THAT(error, HasSubstr("1 + 1 == 3"));
  EXPECT_THAT(error, HasSubstr("2 is not three"));
  EXPECT_THAT(thrown_by([] { TT_THROW("only {}", 7); }), HasSubstr("only 7"));
  EXPECT_THAT(thrown_by([] { TT_ASSERT(false); }), HasSubstr("TT_ASSERT"));
  EXPECT_EQ(thrown_by([] { TT_FATAL(true, "never {}", 1); }), "");
}

TEST(AssertTest, TextBeginsWithTheSentence) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(thrown_by([] { TT_FATAL(1 > 2, "{} is less than {}", 1, 2); })),
            "1 is less than 2");
  EXPECT_EQ(first_line(thrown_by([] { TT_THROW("only {}", 7); })), "only 7");
  EXPECT_EQ(first_line(thrown_by([] { TT_ASSERT(1 > 2); })), "1 > 2 does not hold");
}

// what() would end at it.
TEST(AssertTest, TextIsWholeThoughItQuotesANul) {
  const std::string name("ca\0ry", 5);
  EXPECT_THAT(thrown_by([&] { TT_THROW("no {} here", name); }), HasSubstr("no ca\\x00ry here\n"));
  EXPECT_EQ(thrown_by([&] { throw_if_error(absl::NotFoundError(name + " is lost")); }),
            "ca\\x00ry is lost");
}

TEST(AssertTest, ConditionIsEvaluatedOnce) {
  int count = 0;
  TT_FATAL(++count == 1, "count {}", count);
  EXPECT_EQ(count, 1);
}

TEST(LoggerTest, LinesFromInfoOnAreShownWithTheirCategory) {
  testing::internal::CaptureStdout();
  log_info(LogTest, "value {}", 42);
  log_warning("no category");
  log_debug(LogTest, "hidden");
  log_fatal(LogMetal, "only logged");
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_THAT(output, HasSubstr("Info |         Test | value 42\n"));
  EXPECT_THAT(output, HasSubstr("Warning |       Always | no category\n"));
  EXPECT_THAT(output, HasSubstr("only logged"));
  EXPECT_THAT(output, testing::Not(HasSubstr("hidden")));
}

// Run by the test below, in a process for each level.
TEST(LoggerChild, DISABLED_LogsALineOfEachLevel) {
  for (uint8_t level = 0; level < 6; ++level) {
    logger::log(static_cast<logger::Level>(level), LogTest, "line {}", level);
  }
}

TEST(LoggerTest, TheEnvironmentSaysWhichLevelsAreShown) {
  const std::pair<const char*, int> first_lines[] = {
      {"trace", 0}, {"Debug", 1}, {"INFO", 2}, {"wArNiNg", 3}, {"Fatal", 5}, {"Fata", 2}, {"", 2}};
  for (const auto& [level, first] : first_lines) {
    const auto child = lightmetal::testing::run_process(
        {"/proc/self/exe", "--gtest_filter=LoggerChild.*", "--gtest_also_run_disabled_tests"},
        {.environment = {{"TT_LOGGER_LEVEL", level}}});
    for (int line = 0; line < 6; ++line) {
      const bool shown = child.output.find("line " + std::to_string(line)) != std::string::npos;
      EXPECT_EQ(shown, line >= first) << level;
    }
  }
}

// As const char*, std::string, std::string_view, an array that a program fills, and fmt::runtime.
TEST(LoggerTest, FormatsMayBeMadeAtRunTime) {
  testing::internal::CaptureStdout();
  const std::string format = "{} of {}";
  const char* plain = "{braces}";
  char filled[] = "array {}";
  log_info(LogTest, format, 1, 2);
  log_info(std::string_view(format), 3, 4);
  log_info(plain);
  log_warning(LogTest, filled, 5);
  log_info(fmt::runtime(format), 6, 7);
  const std::string output = testing::internal::GetCapturedStdout();
  for (const char* line : {"| 1 of 2\n", "| 3 of 4\n", "| {braces}\n", "| array 5\n", "| 6 of 7\n"})
    EXPECT_THAT(output, HasSubstr(line));
  EXPECT_THROW(log_info(format, 1), fmt::format_error);
}

TEST(AssertTest, FormatsMayBeMadeAtRunTime) {
  const std::string format = "{} of {}";
  const char* plain = "{braces}";
  EXPECT_THAT(thrown_by([&] { TT_FATAL(false, format, 1, 2); }), HasSubstr("1 of 2\n"));
  EXPECT_THAT(thrown_by([&] { TT_THROW(plain); }), HasSubstr("{braces}\n"));
  EXPECT_THAT(thrown_by([&] { TT_ASSERT(false, format + "!", 3, 4); }), HasSubstr("3 of 4!\n"));
}

TEST(MathTest, RoundsToMultiples) {
  EXPECT_EQ(round_up(33u, 32u), 64u);
  EXPECT_EQ(round_up(uint64_t{1} << 40, 3), (uint64_t{1} << 40) + 2);
  EXPECT_EQ(round_down(33u, 32u), 32u);
  EXPECT_EQ(div_up(7, 2), 4);
  EXPECT_EQ(align(0u, 32u), 0u);
  EXPECT_EQ(align(uint64_t{65}, 16), 80u);
  EXPECT_EQ(detail::SizeBytesPerBank(13 * 40, 40, 12, 32), 128u);
}

TEST(NamesTest, EnumsHaveText) {
  EXPECT_EQ(fmt::format("{} {}", BufferType::L1_SMALL, TensorMemoryLayout::BLOCK_SHARDED),
            "L1_SMALL BLOCK_SHARDED");
  EXPECT_EQ(fmt::format("{}", DataFormat::Bfp8_b), "Bfp8_b");
  EXPECT_EQ(arch_to_str(ARCH::WORMHOLE_B0), "wormhole_b0");
  EXPECT_EQ(get_arch_from_string("wormhole_b0"), ARCH::WORMHOLE_B0);
  EXPECT_EQ(get_arch_from_string("nonsense"), ARCH::Invalid);
  EXPECT_EQ(fmt::format("{}", SubDeviceId{3}), "3");
  EXPECT_LT(SubDeviceId{1}, SubDeviceId{2});
}

}  // namespace
}  // namespace tt::helpers
