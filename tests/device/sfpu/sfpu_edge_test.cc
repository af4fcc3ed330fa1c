#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/sfpu/sfpu_functions.h"
#include "tests/device/tiles/tile_program.h"

// The functions of one float at the edges: zeros of both signs, denormals, infinities, NaN, the
// ends of the range, and the arguments around which functions change. Denormals are not flushed.
namespace lightmetal::device::testing {
namespace {

using Limits = std::numeric_limits<float>;

std::vector<float> edges() {
  std::vector<float> values;
  for (const float size : {0.0f,          Limits::denorm_min(),
                           1e-40f,        Limits::min(),
                           1e-20f,        1e-7f,
                           0.25f,         0.5f,
                           0.75f,         1 - 0x1p-24f,
                           1.0f,          1 + 0x1p-23f,
                           1.5f,          2.0f,
                           2.5f,          3.0f,
                           5.0f,          10.0f,
                           12.5f,         13.5f,
                           20.0f,         44.0f,
                           87.0f,         88.7f,
                           88.8f,         89.5f,
                           92.0f,         103.0f,
                           104.5f,        126.5f,
                           128.0f,        149.0f,
                           151.0f,        38999.0f,
                           39001.0f,      1e6f,
                           8388609.0f,    1e10f,
                           1.8e19f,       1e30f,
                           Limits::max(), Limits::infinity()}) {
    values.push_back(size);
    values.push_back(-size);
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

// The edges, and random numbers behind them.
Tile edge_tile() {
  const std::vector<float> values = edges();
  Tile tile = random_tile(5);
  std::copy(values.begin(), values.end(), tile.begin());
  return tile;
}

// Zeros with their signs, NaN for NaN, infinity for infinity; below the normal range some units
// of the last place.
void expect_value(const UnaryFunction& function, float x, float result) {
  const double exact = function.reference(x);
  const float expected = static_cast<float>(exact);
  const auto where = absl::StrCat(function.call, " of ", x, " is ", result, ", not ", expected);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(result)) << where;
  } else if (exact == 0 && result == 0) {
    EXPECT_EQ(std::signbit(result), std::signbit(expected)) << where;
  } else if (std::isinf(expected) || std::isinf(result)) {
    EXPECT_EQ(result, expected) << where;
  } else {
    EXPECT_NEAR(result, expected, std::abs(exact) * 1e-6 + function.absolute + 1e-43) << where;
  }
}

// One kernel for all functions, on the same tile.
void expect_functions() {
  const std::vector<UnaryFunction> functions = all_functions();
  const Tile arguments = edge_tile();
  std::string body;
  for (size_t i = 0; i < functions.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); ", functions[i].call,
                    " pack_tile<true>(0, 16, ", i, ");\n");
  }
  TileProgram program;
  program.settings().fp32_dest_acc_en = true;
  program.input(0, DataFormat::Float32, {arguments});
  program.output(16, DataFormat::Float32, static_cast<uint32_t>(functions.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t f = 0; f < functions.size(); ++f) {
    const Tile results = program.floats(16, static_cast<uint32_t>(f));
    for (uint32_t i = 0; i < kTileElements; ++i)
      expect_value(functions[f], arguments[i], results[i]);
  }
}

TEST(UnaryEdges, FunctionsHoldWithEveryInstructionSet) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // chosen anew at the next call
    expect_functions();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace
}  // namespace lightmetal::device::testing
