#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/sfpu/sfpu_functions.h"
#include "tests/device/tiles/tile_program.h"

// The functions of one float, each on random arguments within its range, over the formats of
// circular buffers; and on some faces only.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

constexpr uint8_t kIn = 0;
constexpr uint8_t kOut = 16;

// One kernel for all functions: tile i of the input goes through function i.
std::string body_of(const std::vector<UnaryFunction>& functions) {
  std::string body = "init_sfpu(0, 16);\n";
  for (size_t i = 0; i < functions.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile_init(0); copy_tile(0, ", i, ", 0);\n",
                    functions[i].call,
                    "\ntile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 16, ", i,
                    "); tile_regs_release();\n");
  }
  return body;
}

std::vector<Tile> arguments_of(const std::vector<UnaryFunction>& functions) {
  std::vector<Tile> tiles;
  for (const UnaryFunction& function : functions) {
    Tile tile = random_tile(static_cast<uint32_t>(tiles.size()), function.low, function.high);
    // A part of them lies nearer to zero, or to the end that is nearer to zero.
    const float near = function.low > 0 ? function.low : function.high < 0 ? function.high : 0;
    for (size_t i = 0; i < 200; ++i) tile[i * 5] = near + (tile[i * 5] - near) * 1e-2f;
    tiles.push_back(tile);
  }
  return tiles;
}

// What storing a result may add to the function's own error.
double rounding(DataFormat format, double value, double largest_of_row) {
  switch (format) {
    case DataFormat::Float16_b:
      return std::abs(value) * 0x1p-7;
    case DataFormat::Float16:
      return std::abs(value) * 0x1p-10 + 0x1p-24;
    case DataFormat::Bfp8_b:
      return largest_of_row * 0x1p-6;
    default:
      return 0;
  }
}

// The greatest of each 16 values that share an exponent.
double largest_of_row(const Tile& tile, uint32_t element) {
  double largest = 0;
  for (uint32_t i = element / 16 * 16; i < element / 16 * 16 + 16; ++i) {
    largest = std::fmax(largest, std::abs(tile[i]));
  }
  return largest;
}

void expect_values(const UnaryFunction& function, DataFormat format, const Tile& arguments,
                   const Tile& results) {
  Tile exact;
  for (const float x : arguments) exact.push_back(static_cast<float>(function.reference(x)));
  const Tile expected = stored_as(format, exact);
  for (uint32_t i = 0; i < kTileElements; ++i) {
    const double value = expected[i];
    if (std::isnan(value) && std::isnan(results[i])) continue;
    if (value == results[i]) continue;  // infinities too
    const double error = std::abs(value) * 1e-6 + function.absolute +
                         rounding(format, value, largest_of_row(expected, i)) + 1e-43;
    ASSERT_NEAR(results[i], value, error) << function.call << " of " << arguments[i];
  }
}

void expect_functions(DataFormat format, const std::vector<UnaryFunction>& functions) {
  const std::vector<Tile> arguments = arguments_of(functions);
  TileProgram program;
  program.settings().fp32_dest_acc_en = true;
  program.input(kIn, format, arguments);
  program.output(kOut, format, static_cast<uint32_t>(functions.size()));
  const absl::Status status = program.run(body_of(functions));
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < functions.size(); ++i) {
    expect_values(functions[i], format, stored_as(format, arguments[i]),
                  program.floats(kOut, static_cast<uint32_t>(i)));
  }
}

class UnaryFunctions : public ::testing::TestWithParam<DataFormat> {};

TEST_P(UnaryFunctions, AreRight) { expect_functions(GetParam(), all_functions()); }

INSTANTIATE_TEST_SUITE_P(Formats, UnaryFunctions,
                         ::testing::Values(DataFormat::Float32, DataFormat::Float16_b,
                                           DataFormat::Float16, DataFormat::Bfp8_b),
                         [](const auto& info) {
                           switch (info.param) {
                             case DataFormat::Float32:
                               return "Float32";
                             case DataFormat::Float16_b:
                               return "Float16_b";
                             case DataFormat::Float16:
                               return "Float16";
                             default:
                               return "Bfp8_b";
                           }
                         });

// ---- Parts of tiles ----

using Elements = std::vector<bool>;

Elements elements(uint32_t begin, uint32_t end, uint32_t begin2 = 0, uint32_t end2 = 0) {
  Elements result(kTileElements, false);
  for (uint32_t i = begin; i < end; ++i) result[i] = true;
  for (uint32_t i = begin2; i < end2; ++i) result[i] = true;
  return result;
}

struct PartialCall {
  std::string call;
  Elements changed;
};

// Each call works on a tile of ones, and changes what it works on.
TEST(VectorMode, ChoosesFaces) {
  const Elements all = elements(0, 1024);
  const Elements left = elements(0, 256, 512, 768);
  const std::vector<PartialCall> calls = {
      {"exp_tile(0);", all},
      {"exp_tile(0, (int)VectorMode::RC);", all},
      {"exp_tile(0, (int)VectorMode::R);", elements(0, 512)},
      {"exp_tile(0, VectorMode::C);", left},
      {"exp_tile(0, VectorMode::None);", elements(0, 256)},
      {"exp_tile<false, false, false, false, 2>(0, VectorMode::None);", elements(0, 64)},
      {"exp_tile<false, false, false, false, 32>(0, VectorMode::None);", all},
      {"exp_tile<false, false, false, false, 4>(0, VectorMode::R);", elements(0, 128, 256, 384)},
      {"exp_tile<false, false, false, false, 2>(0, VectorMode::C);", elements(0, 64, 512, 576)},
      {"exp_tile<false, false, false, false, 6>(0, VectorMode::RC); "
       "exp_tile<false, false, false, false, 8>(0, VectorMode::R);",
       elements(0, 704, 768, 960)},
      {"exp_tile<false, false, InputClamping::None, 4>(0, VectorMode::C);",
       elements(0, 128, 512, 640)},
      {"sigmoid_tile<VectorMode::C>(0);", left},
      {"add_unary_tile(0, 0x3f800000); recip_tile<true>(0, VectorMode::R);", all},
      {"fill_tile(1, 5.0f); max_tile(0, 1, (int)VectorMode::C);", left},
  };
  std::string body;
  for (size_t i = 0; i < calls.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); ", calls[i].call,
                    " tile_regs_commit(); tile_regs_wait(); pack_tile<true>(0, 16, ", i,
                    "); tile_regs_release();\n");
  }
  TileProgram program;
  program.input(kIn, DataFormat::Float32, {Tile(kTileElements, 1.0f)});
  program.output(kOut, DataFormat::Float32, static_cast<uint32_t>(calls.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < calls.size(); ++i) {
    Elements changed;
    for (const float x : program.floats(kOut, static_cast<uint32_t>(i))) changed.push_back(x != 1);
    EXPECT_EQ(changed, calls[i].changed) << calls[i].call;
  }
}

// ---- Failures ----

std::string failure_of(const std::string& body, DataFormat format = DataFormat::Float32) {
  TileProgram program;
  program.input_words(kIn, format, {WordTile(kTileElements, 1)});
  program.output(kOut, format, 1);
  return message_of(program.run("tile_regs_acquire(); copy_tile(0, 0, 0);" + body));
}

TEST(SfpuFailures, FloatFunctionsDoNotTakeIntegers) {
  EXPECT_THAT(failure_of("exp_tile(0);", DataFormat::Int32), HasSubstr("holds integers"));
  EXPECT_THAT(failure_of("bitwise_not_tile(0);"), HasSubstr("holds floats"));
}

TEST(SfpuFailures, TilesThatDstDoesNotHaveFail) {
  EXPECT_THAT(failure_of("exp_tile(16);"), HasSubstr("DST has no tile 16"));
}

TEST(SfpuFailures, VectorsThatDifferFromTheHardwaresFail) {
  for (const std::string iterations : {"3", "10"}) {
    EXPECT_THAT(
        failure_of("exp_tile<false, false, false, false, " + iterations + ">(0, VectorMode::R);"),
        HasSubstr("takes an even number of iterations up to 8"));
  }
}

TEST(SfpuFailures, UnknownFormatsOfTypecastFail) {
  EXPECT_THAT(failure_of("typecast_tile<0, 26>(0);"), HasSubstr("data format 0 to 26"));
}

// What cannot be done as a device does it is not there.
TEST(SfpuFailures, MissingOperationsDoNotCompile) {
  const std::string message = failure_of("tiled_prod_tile(0); sfpu_reduce_max_sdpa(0, 4);");
  EXPECT_THAT(message, HasSubstr("does not compile"));
  for (const std::string name : {"tiled_prod_tile", "sfpu_reduce_max_sdpa"}) {
    EXPECT_THAT(message, HasSubstr("use of undeclared identifier '" + name + "'"));
  }
}

}  // namespace
}  // namespace lightmetal::device::testing
