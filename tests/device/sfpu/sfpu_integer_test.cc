#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// Functions of whole numbers, bit for bit, and typecasts.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kIntegerIncludes[] = R"(
#include "compute_kernel_api/add_int_sfpu.h"
#include "compute_kernel_api/binary_bitwise_sfpu.h"
#include "compute_kernel_api/binary_comp.h"
#include "compute_kernel_api/binary_max_min.h"
#include "compute_kernel_api/binary_shift.h"
#include "compute_kernel_api/div_int32_floor.h"
#include "compute_kernel_api/eltwise_unary/sfpu_int_sum.h"
#include "compute_kernel_api/eltwise_unary/where.h"
#include "compute_kernel_api/fmod_int32.h"
#include "compute_kernel_api/gcd.h"
#include "compute_kernel_api/lcm.h"
#include "compute_kernel_api/mask.h"
#include "compute_kernel_api/mul_int_sfpu.h"
#include "compute_kernel_api/remainder_int32.h"
#include "compute_kernel_api/sub_int_sfpu.h"
)";

constexpr uint32_t kLeast = 0x80000000;
constexpr uint32_t kMost = 0x7fffffff;

int32_t as_signed(uint32_t x) { return static_cast<int32_t>(x); }
int64_t wide(uint32_t x) { return as_signed(x); }
uint32_t rounded_down(double x) { return static_cast<int64_t>(std::floor(x)); }

// Random words, small numbers, and each edge with each other.
std::vector<WordTile> word_operands() {
  std::vector<WordTile> tiles = {random_words(1), random_words(2)};
  const std::vector<uint32_t> edges = {0,   1,   2,   3,       7,      31,         32,   0xffff,
                                       ~0u, ~1u, ~6u, 0x10000, kLeast, kLeast + 1, kMost};
  for (size_t i = 0; i < edges.size() * edges.size(); ++i) {
    tiles[0][i] = edges[i / edges.size()];
    tiles[1][i] = edges[i % edges.size()];
  }
  for (size_t i = 300; i < 600; ++i) {
    tiles[0][i] = tiles[0][i] % 2001 - 1000;
    tiles[1][i] = tiles[1][i] % 41 - 20;
  }
  return tiles;
}

struct UnaryCase {
  std::string call;  // on DST tile 0
  uint32_t (*reference)(uint32_t);
};

const UnaryCase kUnaryCases[] = {
    {"abs_tile_init(); abs_tile_int32(0);",
     [](uint32_t x) { return as_signed(x) < 0 ? 0 - x : x; }},
    {"negative_tile_init(); negative_tile_int32(0);", [](uint32_t x) { return 0 - x; }},
    {"bitwise_not_tile_init(); bitwise_not_tile(0);", [](uint32_t x) { return ~x; }},
    {"bitwise_and_tile_init(); bitwise_and_tile(0, 0xff0f);",
     [](uint32_t x) { return x & 0xff0f; }},
    {"bitwise_or_tile_init(); bitwise_or_tile(0, 0xff0f);", [](uint32_t x) { return x | 0xff0f; }},
    {"bitwise_xor_tile_init(); bitwise_xor_tile(0, 0xff0f);",
     [](uint32_t x) { return x ^ 0xff0f; }},
    {"left_shift_tile_init(); left_shift_tile(0, 3);", [](uint32_t x) { return x << 3; }},
    {"left_shift_tile(0, 32);", [](uint32_t) { return 0u; }},
    {"right_shift_tile_init(); right_shift_tile(0, 3);",
     [](uint32_t x) { return rounded_down(wide(x) / 8.0); }},
    {"add_unary_tile_int32(0, 5);", [](uint32_t x) { return x + 5; }},
    {"sub_unary_tile_int32(0, 5);", [](uint32_t x) { return x - 5; }},
    {"signbit_tile_int32(0);", [](uint32_t x) { return x >> 31; }},
    {"identity_tile_uint32(0);", [](uint32_t x) { return x; }},
    {"relu_tile_int32(0);", [](uint32_t x) { return as_signed(x) < 0 ? 0 : x; }},
    {"relu_max_tile_int32(0, 9);",
     [](uint32_t x) { return as_signed(x) < 0 ? 0
                             : x > 9          ? 9u
                                              : x; }},
    {"relu_min_tile_int32(0, 9);", [](uint32_t x) { return as_signed(x) < 9 ? 9u : x; }},
    {"clamp_tile_init(); clamp_tile_int32(0, (uint32_t)-7, 9);",
     [](uint32_t x) { return as_signed(x) < -7  ? ~6u
                             : as_signed(x) > 9 ? 9u
                                                : x; }},
    {"unary_max_int32_tile(0, 3);", [](uint32_t x) { return as_signed(x) > 3 ? x : 3u; }},
    {"unary_min_int32_tile(0, 3);", [](uint32_t x) { return as_signed(x) < 3 ? x : 3u; }},
    {"unary_max_uint32_tile(0, 3);", [](uint32_t x) { return x > 3 ? x : 3u; }},
    {"unary_min_uint32_tile(0, 3);", [](uint32_t x) { return x < 3 ? x : 3u; }},
    {"unary_eq_tile_int32(0, 3);", [](uint32_t x) { return x == 3 ? 1u : 0; }},
    {"unary_ne_tile_int32(0, 3);", [](uint32_t x) { return x != 3 ? 1u : 0; }},
    {"unary_lt_tile_int32(0, 3);", [](uint32_t x) { return as_signed(x) < 3 ? 1u : 0; }},
    {"unary_le_tile_int32(0, 3);", [](uint32_t x) { return as_signed(x) <= 3 ? 1u : 0; }},
    {"unary_gt_tile_int32(0, 3);", [](uint32_t x) { return as_signed(x) > 3 ? 1u : 0; }},
    {"unary_ge_tile_int32(0, 3);", [](uint32_t x) { return as_signed(x) >= 3 ? 1u : 0; }},
    {"eqz_tile_int32(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"nez_tile_int32(0);", [](uint32_t x) { return x != 0 ? 1u : 0; }},
    {"eqz_tile_uint32(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"eqz_tile_uint16(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"nez_tile_uint32(0);", [](uint32_t x) { return x != 0 ? 1u : 0; }},
    {"nez_tile_uint16(0);", [](uint32_t x) { return x != 0 ? 1u : 0; }},
    {"ltz_tile_int32(0);", [](uint32_t x) { return as_signed(x) < 0 ? 1u : 0; }},
    {"lez_tile_int32(0);", [](uint32_t x) { return as_signed(x) <= 0 ? 1u : 0; }},
    {"gtz_tile_int32(0);", [](uint32_t x) { return as_signed(x) > 0 ? 1u : 0; }},
    {"gez_tile_int32(0);", [](uint32_t x) { return as_signed(x) >= 0 ? 1u : 0; }},
    {"logical_not_unary_tile_int32(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"logical_not_unary_tile_uint32(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"logical_not_unary_tile_uint16(0);", [](uint32_t x) { return x == 0 ? 1u : 0; }},
    {"fill_tile_int(0, 77);", [](uint32_t) { return 77u; }},
    {"fill_tile_int<DataFormat::UInt16>(0, 0x10001);", [](uint32_t) { return 1u; }},
};

TEST(SfpuIntegers, FunctionsOfOneTileAreRight) {
  std::string body;
  uint32_t count = 0;
  for (const UnaryCase& c : kUnaryCases) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); ", c.call,
                    " tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 16, ", count++,
                    "); tile_regs_release();\n");
  }
  const WordTile input = word_operands()[0];
  TileProgram program;
  program.input_words(0, DataFormat::Int32, {input}).output(16, DataFormat::Int32, count);
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t c = 0; c < count; ++c) {
    const WordTile results = program.words(16, c);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      ASSERT_EQ(results[i], kUnaryCases[c].reference(input[i]))
          << kUnaryCases[c].call << " of " << as_signed(input[i]);
    }
  }
}

struct BinaryCase {
  std::string name;
  uint32_t (*reference)(uint32_t, uint32_t);
};

uint32_t size_of(uint32_t x) { return as_signed(x) < 0 ? 0 - x : x; }
uint32_t floor_quotient(uint32_t a, uint32_t b) {
  if (b == 0) return ~0u;
  return static_cast<uint32_t>(static_cast<int64_t>(
      std::floor(static_cast<long double>(wide(a)) / static_cast<long double>(wide(b)))));
}

const BinaryCase kBinaryCases[] = {
    {"add_int32_tile", [](uint32_t a, uint32_t b) { return a + b; }},
    {"add_uint32_tile", [](uint32_t a, uint32_t b) { return a + b; }},
    {"add_uint16_tile", [](uint32_t a, uint32_t b) { return (a + b) & 0xffff; }},
    {"add_int_tile<DataFormat::Int32>", [](uint32_t a, uint32_t b) { return a + b; }},
    {"sub_int32_tile", [](uint32_t a, uint32_t b) { return a - b; }},
    {"sub_uint32_tile", [](uint32_t a, uint32_t b) { return a - b; }},
    {"sub_uint16_tile", [](uint32_t a, uint32_t b) { return (a - b) & 0xffff; }},
    {"sub_int_tile<DataFormat::UInt16>", [](uint32_t a, uint32_t b) { return (a - b) & 0xffff; }},
    {"rsub_int32_tile", [](uint32_t a, uint32_t b) { return b - a; }},
    {"rsub_uint32_tile", [](uint32_t a, uint32_t b) { return b - a; }},
    {"rsub_uint16_tile", [](uint32_t a, uint32_t b) { return (b - a) & 0xffff; }},
    {"rsub_int_tile<DataFormat::Int32>", [](uint32_t a, uint32_t b) { return b - a; }},
    {"mul_int32_tile", [](uint32_t a, uint32_t b) { return a * b; }},
    {"mul_uint32_tile", [](uint32_t a, uint32_t b) { return a * b; }},
    {"mul_uint16_tile", [](uint32_t a, uint32_t b) { return (a * b) & 0xffff; }},
    {"mul_int_tile<DataFormat::UInt32>", [](uint32_t a, uint32_t b) { return a * b; }},
    {"binary_max_int32_tile",
     [](uint32_t a, uint32_t b) { return as_signed(a) > as_signed(b) ? a : b; }},
    {"binary_min_int32_tile",
     [](uint32_t a, uint32_t b) { return as_signed(a) < as_signed(b) ? a : b; }},
    {"binary_max_uint32_tile", [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
    {"binary_min_uint32_tile", [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
    {"and_binary_tile", [](uint32_t a, uint32_t b) { return a & b; }},
    {"bitwise_and_binary_tile", [](uint32_t a, uint32_t b) { return a & b; }},
    {"bitwise_and_int32_binary_tile", [](uint32_t a, uint32_t b) { return a & b; }},
    {"bitwise_and_uint32_binary_tile", [](uint32_t a, uint32_t b) { return a & b; }},
    {"bitwise_and_uint16_binary_tile", [](uint32_t a, uint32_t b) { return a & b & 0xffff; }},
    {"or_binary_tile", [](uint32_t a, uint32_t b) { return a | b; }},
    {"bitwise_or_binary_tile", [](uint32_t a, uint32_t b) { return a | b; }},
    {"bitwise_or_int32_binary_tile", [](uint32_t a, uint32_t b) { return a | b; }},
    {"bitwise_or_uint16_binary_tile", [](uint32_t a, uint32_t b) { return (a | b) & 0xffff; }},
    {"xor_binary_tile", [](uint32_t a, uint32_t b) { return a ^ b; }},
    {"bitwise_xor_binary_tile", [](uint32_t a, uint32_t b) { return a ^ b; }},
    {"bitwise_xor_int32_binary_tile", [](uint32_t a, uint32_t b) { return a ^ b; }},
    {"bitwise_xor_uint32_binary_tile", [](uint32_t a, uint32_t b) { return a ^ b; }},
    {"bitwise_or_uint32_binary_tile", [](uint32_t a, uint32_t b) { return a | b; }},
    {"bitwise_xor_uint16_binary_tile", [](uint32_t a, uint32_t b) { return (a ^ b) & 0xffff; }},
    {"binary_left_shift_tile", [](uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; }},
    {"binary_left_shift_int32_tile", [](uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; }},
    {"binary_left_shift_uint32_tile", [](uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; }},
    {"binary_right_shift_tile",
     [](uint32_t a, uint32_t b) {
       return b < 32 ? rounded_down(std::ldexp(wide(a), -as_signed(b))) : 0;
     }},
    {"binary_right_shift_int32_tile",
     [](uint32_t a, uint32_t b) {
       return b < 32 ? rounded_down(std::ldexp(wide(a), -as_signed(b))) : 0;
     }},
    {"binary_right_shift_uint32_tile", [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }},
    {"binary_logical_right_shift_tile", [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }},
    {"binary_logical_right_shift_int32_tile",
     [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }},
    {"binary_logical_right_shift_uint32_tile",
     [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; }},
    {"gcd_tile",
     [](uint32_t a, uint32_t b) {
       return static_cast<uint32_t>(std::gcd(int64_t{size_of(a)}, int64_t{size_of(b)}));
     }},
    {"eq_int32_tile", [](uint32_t a, uint32_t b) { return a == b ? 1u : 0; }},
    {"eq_uint32_tile", [](uint32_t a, uint32_t b) { return a == b ? 1u : 0; }},
    {"ne_int32_tile", [](uint32_t a, uint32_t b) { return a != b ? 1u : 0; }},
    {"ne_uint32_tile", [](uint32_t a, uint32_t b) { return a != b ? 1u : 0; }},
    {"lt_int32_tile", [](uint32_t a, uint32_t b) { return as_signed(a) < as_signed(b) ? 1u : 0; }},
    {"le_int32_tile", [](uint32_t a, uint32_t b) { return as_signed(a) <= as_signed(b) ? 1u : 0; }},
    {"gt_int32_tile", [](uint32_t a, uint32_t b) { return as_signed(a) > as_signed(b) ? 1u : 0; }},
    {"ge_int32_tile", [](uint32_t a, uint32_t b) { return as_signed(a) >= as_signed(b) ? 1u : 0; }},
    {"lt_uint32_tile", [](uint32_t a, uint32_t b) { return a < b ? 1u : 0; }},
    {"le_uint32_tile", [](uint32_t a, uint32_t b) { return a <= b ? 1u : 0; }},
    {"gt_uint32_tile", [](uint32_t a, uint32_t b) { return a > b ? 1u : 0; }},
    {"ge_uint32_tile", [](uint32_t a, uint32_t b) { return a >= b ? 1u : 0; }},
    {"div_int32_floor_tile", floor_quotient},
    {"div_int32_trunc_tile",
     [](uint32_t a,
        uint32_t b) { return b == 0 ? ~0u : static_cast<uint32_t>(wide(a) / wide(b)); }},
    {"remainder_int32_tile",
     [](uint32_t a, uint32_t b) { return b == 0 ? a : a - floor_quotient(a, b) * b; }},
    {"fmod_int32_tile",
     [](uint32_t a, uint32_t b) { return b == 0 ? a : static_cast<uint32_t>(wide(a) % wide(b)); }},
};

// With three operands the result is in DST tile 2, with two in tile 0.
TEST(SfpuIntegers, FunctionsOfTwoTilesAreRight) {
  std::string body =
      "add_int_tile_init(); sub_int_tile_init(); mul_int_tile_init();"
      "binary_bitwise_tile_init(); binary_shift_tile_init(); gcd_tile_init();";
  uint32_t count = 0;
  for (const BinaryCase& c : kBinaryCases) {
    // The forms with a data format have three operands only.
    const bool two = !absl::StrContains(c.name, "<");
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); ", c.name,
                    "(0, 1, 2); ", c.name, two ? "(0, 1);" : "(0, 1, 0);",
                    "tile_regs_commit(); tile_regs_wait(); pack_tile<true>(2, 16, ", 2 * count,
                    "); pack_tile<true>(0, 16, ", 2 * count + 1, "); tile_regs_release();\n");
    ++count;
  }
  const std::vector<WordTile> inputs = word_operands();
  TileProgram program;
  program.prelude(kIntegerIncludes).input_words(0, DataFormat::Int32, inputs);
  program.output(16, DataFormat::Int32, 2 * count);
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t c = 0; c < count; ++c) {
    const WordTile three = program.words(16, 2 * c);
    const WordTile two = program.words(16, 2 * c + 1);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const uint32_t expected = kBinaryCases[c].reference(inputs[0][i], inputs[1][i]);
      ASSERT_EQ(three[i], expected) << kBinaryCases[c].name << " of " << as_signed(inputs[0][i])
                                    << ", " << as_signed(inputs[1][i]);
      ASSERT_EQ(two[i], expected) << kBinaryCases[c].name;
    }
  }
}

TEST(SfpuIntegers, LeastCommonMultiplesAreRight) {
  std::vector<WordTile> inputs(2, WordTile(kTileElements));
  for (uint32_t i = 0; i < kTileElements; ++i) {
    inputs[0][i] = i % 37 - 18;
    inputs[1][i] = i / 37 - 13;
  }
  TileProgram program;
  program.prelude(kIntegerIncludes).input_words(0, DataFormat::Int32, inputs);
  program.output(16, DataFormat::Int32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); lcm_tile_init();"
      "lcm_tile(0, 1, 0); pack_tile(0, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    ASSERT_EQ(as_signed(program.words(16, 0)[i]),
              std::lcm(as_signed(inputs[0][i]), as_signed(inputs[1][i])));
  }
}

TEST(SfpuIntegers, WhereAndMaskTakeWholeNumbers) {
  WordTile condition(kTileElements, 0);
  for (uint32_t i = 0; i < kTileElements; i += 3) condition[i] = kLeast;  // no zero, here
  const std::vector<WordTile> inputs = {condition, random_words(1), random_words(2)};
  TileProgram program;
  program.prelude(kIntegerIncludes).input_words(0, DataFormat::Int32, inputs);
  program.output(16, DataFormat::Int32, 3);
  const absl::Status status = program.run(
      "tile_regs_acquire(); for (int i = 0; i < 3; ++i) copy_tile(0, i, i);"
      "where_int32_tile(0, 1, 2, 3); where_uint32_tile(0, 1, 2, 2);"
      "mask_tile(1, 0, DataFormat::Int32); pack_tile(3, 16); pack_tile(1, 16); pack_tile(2, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    ASSERT_EQ(program.words(16, 0)[i], inputs[i % 3 == 0 ? 1 : 2][i]);
    ASSERT_EQ(program.words(16, 1)[i], i % 3 == 0 ? inputs[1][i] : 0);
    ASSERT_EQ(program.words(16, 2)[i], program.words(16, 0)[i]);
  }
}

TEST(SfpuIntegers, Uint16WrapsAtItsWidth) {
  TileProgram program;
  program.prelude(kIntegerIncludes)
      .input_words(0, DataFormat::UInt16, {WordTile(kTileElements, 0xfffe)});
  program.output(16, DataFormat::UInt16, 2);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1); add_uint16_tile(0, 1, 2);"
      "mul_uint16_tile(0, 1, 3); pack_tile(2, 16); pack_tile(3, 16);");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.words(16, 0), WordTile(kTileElements, 0xfffc));
  EXPECT_EQ(program.words(16, 1), WordTile(kTileElements, 4));
}

// ---- Typecasts ----

std::string typecast(DataFormat from, DataFormat to) {
  return absl::StrCat("typecast_tile_init(); typecast_tile<", static_cast<int>(from), ", ",
                      static_cast<int>(to), ">(0);");
}

constexpr float kSpecial[] = {
    0.0f,          -0.0f,    0.5f,     -0.5f,  2.5f,          -2.5f,     254.9f,
    255.5f,        65535.9f, 65536.0f, -1.0f,  2147483520.0f, 2.2e9f,    -2.2e9f,
    4294967040.0f, 5e9f,     1e30f,    -1e30f, INFINITY,      -INFINITY, NAN};

uint32_t whole(float value, double least, double most) {
  if (std::isnan(value)) return 0;
  const double towards_zero = std::trunc(double{value});
  const double bounded = towards_zero < least ? least : towards_zero > most ? most : towards_zero;
  return static_cast<uint32_t>(static_cast<int64_t>(bounded));
}

TEST(Typecast, FloatsBecomeWholeNumbersTowardsZero) {
  Tile input = random_tile(1, -70000, 70000);
  std::copy(std::begin(kSpecial), std::end(kSpecial), input.begin());
  struct Case {
    DataFormat to;
    double least, most;
  };
  const Case cases[] = {{DataFormat::Int32, -2147483648.0, 2147483647.0},
                        {DataFormat::UInt32, 0, 4294967295.0},
                        {DataFormat::UInt16, 0, 65535},
                        {DataFormat::UInt8, 0, 255}};
  TileProgram program;
  program.input(0, DataFormat::Float32, {input});
  std::string body = "tile_regs_acquire();";
  uint8_t cb = 16;
  for (const Case& c : cases) {
    program.output(cb, c.to, 1);
    absl::StrAppend(&body, "copy_tile(0, 0, 0);", typecast(DataFormat::Float32, c.to),
                    "pack_tile(0, ", cb++, ");");
  }
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (const Case& c : cases) {
    const WordTile results = program.words(static_cast<uint8_t>(16 + (&c - cases)), 0);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      ASSERT_EQ(results[i], whole(input[i], c.least, c.most)) << input[i];
    }
  }
}

TEST(Typecast, WholeNumbersBecomeTheNearestFloats) {
  const WordTile input = word_operands()[0];
  for (const bool is_signed : {true, false}) {
    const DataFormat from = is_signed ? DataFormat::Int32 : DataFormat::UInt32;
    TileProgram program;
    program.input_words(0, from, {input}).output(16, DataFormat::Float32, 2);
    const absl::Status status =
        program.run("tile_regs_acquire(); copy_tile(0, 0, 0);" +
                    typecast(from, DataFormat::Float32) + "pack_tile(0, 16); copy_tile(0, 0, 0);" +
                    typecast(from, DataFormat::Float16_b) + "pack_tile(0, 16);");
    ASSERT_TRUE(status.ok()) << status;
    Tile expected;
    for (const uint32_t x : input) {
      expected.push_back(is_signed ? static_cast<float>(as_signed(x)) : static_cast<float>(x));
    }
    EXPECT_EQ(program.floats(16, 0), expected);
    EXPECT_EQ(program.floats(16, 1), stored_as(DataFormat::Float16_b, expected));
  }
}

TEST(Typecast, NarrowerFloatsAreRounded) {
  const Tile input = random_tile(1, -9, 9);
  const DataFormat formats[] = {DataFormat::Float16_b, DataFormat::Float16, DataFormat::Bfp8_b};
  TileProgram program;
  program.input(0, DataFormat::Float32, {input}).output(16, DataFormat::Float32, 1);
  program.output(17, DataFormat::Float32, 1).output(18, DataFormat::Bfp8_b, 1);
  std::string body = "tile_regs_acquire();";
  for (int i = 0; i < 3; ++i) {
    absl::StrAppend(&body, "copy_tile(0, 0, 0);", typecast(DataFormat::Float32, formats[i]),
                    "pack_tile(0, ", 16 + i, ");");
  }
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint8_t i = 0; i < 3; ++i) {
    EXPECT_EQ(program.floats(16 + i, 0), stored_as(formats[i], input));
  }
}

// ---- Sums ----

TEST(SfpuIntegers, SumsOfRowsAndColumnsStandInTheFirstOfEach) {
  const std::vector<WordTile> inputs = word_operands();
  TileProgram program;
  program.prelude(kIntegerIncludes).input_words(0, DataFormat::Int32, inputs);
  program.output(16, DataFormat::Int32, 3);
  const absl::Status status = program.run(
      "sfpu_sum_int_init(); tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1);"
      "copy_tile(0, 0, 2); copy_tile(0, 1, 3); sfpu_sum_int_col(0); sfpu_sum_int_row(1);"
      "sfpu_add_int(2); for (int i = 0; i < 3; ++i) pack_tile(i, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      uint32_t down = 0, along = 0;
      for (uint32_t i = 0; i < 32; ++i) {
        down += row == 0 ? inputs[0][in_faces(i, column)] : 0;
        along += column == 0 ? inputs[0][in_faces(row, i)] : 0;
      }
      const uint32_t place = in_faces(row, column);
      ASSERT_EQ(program.words(16, 0)[place], down);
      ASSERT_EQ(program.words(16, 1)[place], along);
      ASSERT_EQ(program.words(16, 2)[place], inputs[0][place] + inputs[1][place]);
    }
  }
}

TEST(SfpuIntegers, FloatsAreNotSummedAsIntegers) {
  TileProgram program;
  program.prelude(kIntegerIncludes).input(0, DataFormat::Float32, {random_tile(1)});
  program.output(16, DataFormat::Int32, 1);
  const absl::Status status =
      program.run("tile_regs_acquire(); copy_tile(0, 0, 0); sfpu_sum_int_col(0);");
  EXPECT_THAT(message_of(status), HasSubstr("holds floats where integers are needed"));
}

TEST(SfpuIntegers, ATileThatWasNotWrittenIsZerosOfEitherKind) {
  TileProgram program;
  program.prelude(kIntegerIncludes +
                  std::string("#include \"compute_kernel_api/quantization.h\"\n"));
  program.output(16, DataFormat::Int32, 2).output(17, DataFormat::Float32, 1);
  const absl::Status status = program.run(
      "tile_regs_acquire(); sfpu_sum_int_col(0); pack_tile(0, 16); sfpu_sum_int_row(1);"
      "pack_tile(1, 16); dequant_tile_init(0); dequant_tile(2, 3); pack_tile(2, 17);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < 2; ++i) EXPECT_EQ(program.words(16, i), WordTile(kTileElements, 0));
  EXPECT_EQ(program.floats(17, 0), Tile(kTileElements, 0.0f));
}

TEST(Typecast, WholeNumbersKeepTheirLowBits) {
  const WordTile input = word_operands()[0];
  TileProgram program;
  program.input_words(0, DataFormat::UInt32, {input}).output(16, DataFormat::UInt16, 1);
  const absl::Status status =
      program.run("tile_regs_acquire(); copy_tile(0, 0, 0);" +
                  typecast(DataFormat::UInt32, DataFormat::UInt16) + "pack_tile(0, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t i = 0; i < kTileElements; ++i) {
    ASSERT_EQ(program.words(16, 0)[i], input[i] & 0xffff);
  }
}

TEST(Typecast, SignedBytesLieInBuffersOfUnsignedOnes) {
  WordTile bytes(kTileElements);
  Tile floats(kTileElements);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    bytes[i] = i % 256;
    floats[i] = static_cast<float>(static_cast<int8_t>(i % 256));
  }
  TileProgram program;
  program.input_words(0, DataFormat::UInt8, {bytes}).output(16, DataFormat::Float32, 1);
  program.output(17, DataFormat::Int32, 1).output(18, DataFormat::UInt8, 2);
  const absl::Status status = program.run(
      "tile_regs_acquire(); copy_tile(0, 0, 0);" + typecast(DataFormat::Int8, DataFormat::Float32) +
      "pack_tile(0, 16);" + typecast(DataFormat::Float32, DataFormat::Int8) +
      "pack_tile(0, 18); copy_tile(0, 0, 0);" + typecast(DataFormat::Int8, DataFormat::Int32) +
      "pack_tile(0, 17);" + typecast(DataFormat::Int32, DataFormat::Int8) + "pack_tile(0, 18);");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(program.floats(16, 0), floats);
  EXPECT_EQ(program.words(18, 0), bytes);
  EXPECT_EQ(program.words(18, 1), bytes);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    ASSERT_EQ(as_signed(program.words(17, 0)[i]), static_cast<int8_t>(i % 256));
  }
}

}  // namespace
}  // namespace lightmetal::device::testing
