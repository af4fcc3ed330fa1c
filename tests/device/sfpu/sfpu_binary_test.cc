#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// Functions of two and three tiles of DST, masks, fills, random numbers and typecasts.
namespace lightmetal::device::testing {
namespace {

constexpr char kIncludes[] = R"(
#include "compute_kernel_api/binary_max_min.h"
#include "compute_kernel_api/copy_dest_values.h"
#include "compute_kernel_api/cumsum.h"
#include "compute_kernel_api/quantization.h"
#include "compute_kernel_api/reshuffle.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/eltwise_unary/addcdiv.h"
#include "compute_kernel_api/eltwise_unary/addcmul.h"
#include "compute_kernel_api/eltwise_unary/lerp.h"
#include "compute_kernel_api/eltwise_unary/where.h"
#include "compute_kernel_api/mask.h"
#include "compute_kernel_api/xlogy.h"
)";

using Limits = std::numeric_limits<float>;

struct BinaryFunction {
  std::string name;
  double (*reference)(double, double);
};

double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

std::vector<BinaryFunction> binary_functions() {
  return {
      {"add_binary", [](double a, double b) { return a + b; }},
      {"sub_binary", [](double a, double b) { return a - b; }},
      {"mul_binary", [](double a, double b) { return a * b; }},
      {"div_binary", [](double a, double b) { return a / b; }},
      {"rsub_binary", [](double a, double b) { return b - a; }},
      {"power_binary", [](double a, double b) { return std::pow(a, b); }},
      {"xlogy_binary",
       [](double a, double b) { return a == 0 && !std::isnan(b) ? 0 : a * std::log(b); }},
      {"binary_max", greater},
      {"binary_min", smaller},
      {"eq_binary", [](double a, double b) { return a == b ? 1.0 : 0; }},
      {"ne_binary", [](double a, double b) { return a != b ? 1.0 : 0; }},
      {"lt_binary", [](double a, double b) { return a < b ? 1.0 : 0; }},
      {"le_binary", [](double a, double b) { return a <= b ? 1.0 : 0; }},
      {"gt_binary", [](double a, double b) { return a > b ? 1.0 : 0; }},
      {"ge_binary", [](double a, double b) { return a >= b ? 1.0 : 0; }},
  };
}

// Random numbers, and each edge with each other.
std::vector<Tile> operands() {
  std::vector<Tile> tiles = {random_tile(1), random_tile(2)};
  const std::vector<float> edges = {0.0f,
                                    -0.0f,
                                    1.0f,
                                    -1.0f,
                                    2.5f,
                                    -3.0f,
                                    1e-40f,
                                    1e30f,
                                    -1e30f,
                                    Limits::infinity(),
                                    -Limits::infinity(),
                                    Limits::quiet_NaN()};
  for (size_t i = 0; i < edges.size() * edges.size(); ++i) {
    tiles[0][i] = edges[i / edges.size()];
    tiles[1][i] = edges[i % edges.size()];
  }
  return tiles;
}

void expect_same(const std::string& name, double expected, float result, double size) {
  const float rounded = static_cast<float>(expected);
  if (std::isnan(rounded)) {
    ASSERT_TRUE(std::isnan(result)) << name;
  } else if (std::isinf(rounded)) {
    ASSERT_EQ(result, rounded) << name;
  } else {
    ASSERT_NEAR(result, rounded, std::abs(size) * 1e-6 + 3e-45) << name;
  }
}

// With three operands the result is in DST tile 2, with two in tile 0.
TEST(SfpuBinary, FunctionsOfTwoTilesAreRight) {
  const std::vector<BinaryFunction> functions = binary_functions();
  std::string body;
  for (size_t i = 0; i < functions.size(); ++i) {
    const std::string& name = functions[i].name;
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); ", name,
                    "_tile_init(); ", name, "_tile(0, 1, 2); ", name, "_tile(0, 1);",
                    "tile_regs_commit(); tile_regs_wait(); pack_tile<true>(2, 16, ", 2 * i,
                    "); pack_tile<true>(0, 16, ", 2 * i + 1, "); tile_regs_release();\n");
  }
  const std::vector<Tile> inputs = operands();
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, static_cast<uint32_t>(2 * functions.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t f = 0; f < functions.size(); ++f) {
    const Tile three = program.floats(16, 2 * f);
    const Tile two = program.floats(16, 2 * f + 1);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const double expected = functions[f].reference(inputs[0][i], inputs[1][i]);
      const auto what = absl::StrCat(functions[f].name, " of ", inputs[0][i], ", ", inputs[1][i]);
      expect_same(what, expected, three[i], expected);
      expect_same(what, expected, two[i], expected);
    }
  }
}

struct Snippet {
  std::string text;  // leaves its result in DST tile 3; tiles 0 to 2 are the inputs
  std::function<double(double, double, double)> reference;
};

TEST(SfpuBinary, FunctionsOfThreeTilesAndMasksAreRight) {
  const std::vector<Snippet> snippets = {
      {"where_tile_init(); where_tile(0, 1, 2, 3);",
       [](double a, double b, double c) { return a != 0 ? b : c; }},
      {"where_tile(0, 1, 2); copy_dest_values(3, 0);",
       [](double a, double b, double c) { return a != 0 ? b : c; }},
      {"where_tile<DataFormat::Float32>(0, 1, 2, 3);",
       [](double a, double b, double c) { return a != 0 ? b : c; }},
      {"where_fp32_tile(0, 1, 2, 3);", [](double a, double b, double c) { return a != 0 ? b : c; }},
      {"addcmul_tile_init(); addcmul_tile<DataFormat::Float32>(0, 1, 2, 3, 0x40000000);",
       [](double a, double b, double c) { return a + 2 * b * c; }},
      {"addcdiv_tile_init(); addcdiv_tile<DataFormat::Float32>(0, 1, 2, 3, 0x40000000);",
       [](double a, double b, double c) { return a + 2 * b / c; }},
      {"lerp_tile_init(); lerp_tile<DataFormat::Float32>(0, 1, 2, 3);",
       [](double a, double b, double c) { return a + c * (b - a); }},
      {"mask_tile_init(); mask_tile(1, 0); copy_dest_values_init(); copy_dest_values(3, 1);",
       [](double a, double b, double) { return a == 0 ? 0 : b; }},
      {"mask_posinf_tile(1, 0); copy_dest_values<DataFormat::Float32>(1, 3);",
       [](double a, double b, double) { return a == 0 ? INFINITY : b; }},
      {"div_no_nan_binary_tile(1, 0, 3);",
       [](double a, double b, double) { return a == 0 ? 0 : b / a; }},
      {"max_tile_init(); max_tile(1, 2); copy_dest_values(3, 1);",
       [](double, double b, double c) { return b > c ? b : c; }},
      {"fill_tile_init(); fill_tile(3, 1.5f);", [](double, double, double) { return 1.5; }},
      {"fill_tile_bitcast(3, 0x40400000);", [](double, double, double) { return 3.0; }},
  };
  std::string body;
  for (size_t i = 0; i < snippets.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); for (int i = 0; i < 3; ++i) copy_tile(0, i, i);",
                    snippets[i].text,
                    "tile_regs_commit(); tile_regs_wait(); pack_tile<true>(3, 16, ", i,
                    "); tile_regs_release();\n");
  }
  std::vector<Tile> inputs = {random_tile(1), random_tile(2), random_tile(3, 1, 4)};
  for (uint32_t i = 0; i < kTileElements; i += 3) inputs[0][i] = i % 2 == 0 ? 0.0f : -0.0f;
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, static_cast<uint32_t>(snippets.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t s = 0; s < snippets.size(); ++s) {
    const Tile results = program.floats(16, s);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const double expected = snippets[s].reference(inputs[0][i], inputs[1][i], inputs[2][i]);
      expect_same(snippets[s].text, expected, results[i], std::abs(expected) + 20);
    }
  }
}

TEST(SfpuBinary, FacesOfTheResultThatAreNotWorkedOnStay) {
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, {random_tile(1), random_tile(2)});
  program.output(16, DataFormat::Float32, 1);
  ASSERT_TRUE(program
                  .run("tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1);"
                       "fill_tile(2, 9.0f); binary_max_tile(0, 1, 2, (int)VectorMode::R);"
                       "pack_tile(2, 16);")
                  .ok());
  const Tile result = program.floats(16, 0);
  EXPECT_NE(result[511], 9.0f);
  EXPECT_EQ(result[512], 9.0f);
}

// ---- Quantisation ----

double quantised(double value) { return std::clamp(std::round(value), -127.0, 127.0); }

// Scales are powers of two: products and sums are exact, and many of them end in a half.
TEST(Quantisation, ValuesAreScaledMovedAndRounded) {
  Tile numbers(kTileElements), scales(kTileElements);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    numbers[i] = (static_cast<float>(i) - 500) / 4;
    scales[i] = i % 3 == 0 ? 2.0f : i % 3 == 1 ? 0.5f : 0.25f;
  }
  WordTile integers(kTileElements);
  for (uint32_t i = 0; i < kTileElements; ++i) integers[i] = i - 512;
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, {numbers, scales});
  program.input_words(1, DataFormat::Int32, {integers});
  program.output(16, DataFormat::Int32, 2).output(17, DataFormat::Float32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(1, 0, 1); copy_tile(1, 0, 2);"
      "copy_tile(0, 1, 3); quant_tile_init(0x40400000); quant_tile(0, 3);"  // 3
      "requant_tile_init(0xc0a00000); requant_tile(1, 3);"                  // -5
      "dequant_tile_init(0xc0e00000); dequant_tile(2, 3);"                  // -7
      "pack_tile(0, 16); pack_tile(1, 16); pack_tile(2, 17);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const double scale = scales[i];
    const auto integer = static_cast<int32_t>(integers[i]);
    ASSERT_EQ(static_cast<int32_t>(program.words(16, 0)[i]), quantised(numbers[i] * scale + 3));
    ASSERT_EQ(static_cast<int32_t>(program.words(16, 1)[i]), quantised(integer * scale - 5));
    ASSERT_EQ(program.floats(17, 0)[i], (integer - 7) * scale);
  }
}

// As of late 2025: a third tile gets the result.
TEST(Quantisation, ResultsGoToTheTileThatIsNamed) {
  const Tile numbers(kTileElements, 3.0f), scales(kTileElements, 4.0f);
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, {numbers, scales});
  program.output(16, DataFormat::Int32, 1).output(17, DataFormat::Float32, 2);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); quant_tile_init(0);"
      "quant_tile(0, 1, 2); dequant_tile_init(0); dequant_tile(2, 1, 3);"
      "pack_tile(2, 16); pack_tile(0, 17); pack_tile(3, 17);");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.words(16, 0), WordTile(kTileElements, 12));
  EXPECT_EQ(program.floats(17, 0), numbers);
  EXPECT_EQ(program.floats(17, 1), Tile(kTileElements, 48.0f));
}

// ---- Along columns and pairs ----

TEST(SfpuRows, RowsAreAddedToTheRowsThatBytesName) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2)};
  std::vector<std::byte> places(4096, std::byte{0xff});
  for (uint32_t row = 0; row < 32; ++row)
    places[row] = static_cast<std::byte>(row % 5 == 4 ? 255 : row * 3 % 8);
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, inputs);
  program.input_bytes(1, DataFormat::UInt32, places).output(16, DataFormat::Float32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); cb_wait_front(1, 1);"
      "volatile uint32_t* places; cb_get_tile(1, 0, &places); reshuffle_rows_tile_init();"
      "reshuffle_rows_tile(0, reinterpret_cast<uint32_t>(places)); pack_tile(1, 16);");
  ASSERT_TRUE(status.ok()) << status;
  Tile expected = inputs[1];
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; row % 5 != 4 && column < 32; ++column)
      expected[in_faces(row * 3 % 8, column)] += inputs[0][in_faces(row, column)];
  }
  EXPECT_EQ(program.floats(16, 0), expected);
}

TEST(SfpuColumns, CumulativeSumsGoOnFromTileToTile) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2)};
  TileProgram program;
  program.prelude(kIncludes).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, 3);
  ASSERT_TRUE(program
                  .run("cumsum_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0);"
                       "copy_tile(0, 1, 1); copy_tile(0, 1, 2); cumsum_tile(0);"
                       "cumsum_tile(1, false); cumsum_tile(2, true);"
                       "for (int i = 0; i < 3; ++i) pack_tile(i, 16);")
                  .ok());
  for (uint32_t column = 0; column < 32; ++column) {
    double sum = 0;
    double second = 0;
    for (uint32_t row = 0; row < 64; ++row) {
      const uint32_t element = in_faces(row % 32, column);
      sum += inputs[row / 32][element];
      ASSERT_NEAR(program.floats(16, row / 32)[element], sum, 1e-4);
      if (row < 32) continue;
      second += inputs[1][element];
      ASSERT_NEAR(program.floats(16, 2)[element], second, 1e-4);
    }
  }
}

TEST(SfpuColumns, ComplexNumbersTurnByNinetyDegrees) {
  const Tile input = random_tile(1);
  TileProgram program;
  program.input(0, DataFormat::Float32, {input}).output(16, DataFormat::Float32, 1);
  ASSERT_TRUE(program
                  .run("tile_regs_acquire(); copy_tile(0, 0, 0); alt_complex_rotate90_tile_init();"
                       "alt_complex_rotate90_tile(0); pack_tile(0, 16);")
                  .ok());
  const Tile result = program.floats(16, 0);
  for (uint32_t i = 0; i < kTileElements; i += 2) {
    ASSERT_EQ(result[i], -input[i + 1]);
    ASSERT_EQ(result[i + 1], input[i]);
  }
}

// ---- Random numbers ----

std::vector<Tile> random_tiles(uint32_t seed) {
  TileProgram program;
  program.input(0, DataFormat::Float32, {Tile(kTileElements, 2.0f)}).args({seed});
  program.output(16, DataFormat::Float32, 4);
  const absl::Status status = program.run(R"(
    rand_tile_init(get_arg_val<uint32_t>(0));
    dropout_kernel_init(get_arg_val<uint32_t>(0));
    tile_regs_acquire();
    rand_tile(0, 0xbf800000, 0x40400000);  // from -1 to 2
    rand_tile(1, 0xbf800000, 0x40400000);
    copy_tile(0, 0, 2);
    dropout_tile(2, 0x7fffffff / 4, 0x40400000);
    copy_tile(0, 0, 3);
    dropout_tile(3, 0x7fffffff, 0x40400000);
    for (int i = 0; i < 4; ++i) pack_tile(i, 16);)");
  EXPECT_TRUE(status.ok()) << status;
  std::vector<Tile> tiles;
  for (uint32_t i = 0; i < 4; ++i) tiles.push_back(program.floats(16, i));
  return tiles;
}

TEST(SfpuRandom, NumbersDependOnTheSeedAlone) {
  EXPECT_EQ(random_tiles(1), random_tiles(1));
  EXPECT_NE(random_tiles(1)[0], random_tiles(2)[0]);
  EXPECT_NE(random_tiles(1)[0], random_tiles(1)[1]);
}

TEST(SfpuRandom, NumbersAreUniform) {
  const Tile tile = random_tiles(7)[0];
  double mean = 0;
  for (const float x : tile) {
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 2);
    mean += x / kTileElements;
  }
  EXPECT_NEAR(mean, 0.5, 0.1);
}

TEST(SfpuRandom, DropoutDropsItsShareAndScalesTheRest) {
  const std::vector<Tile> tiles = random_tiles(7);
  uint32_t dropped = 0;
  for (const float x : tiles[2]) {
    ASSERT_TRUE(x == 0 || x == 6) << x;
    dropped += x == 0;
  }
  EXPECT_NEAR(dropped, kTileElements / 4, 60);
  EXPECT_EQ(tiles[3], Tile(kTileElements, 0.0f));
}

}  // namespace
}  // namespace lightmetal::device::testing
