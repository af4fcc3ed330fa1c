#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/device/tiles/tile_program.h"

// What the vector unit's API has had since 2026, against references in double precision.
namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;
using Limits = std::numeric_limits<float>;

constexpr char kIncludesOf2026[] = R"(
#include "api/compute/compute_kernel_api.h"
#include "api/compute/atan2.h"
#include "api/compute/binary_comp.h"
#include "api/compute/binary_fmod.h"
#include "api/compute/binary_remainder.h"
#include "api/compute/binary_shift.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/isclose.h"
#include "api/compute/logaddexp.h"
#include "api/compute/logaddexp2.h"
#include "api/compute/logsigmoid.h"
#include "api/compute/nextafter.h"
#include "api/compute/sfpu_binary_bcast.h"
#include "api/compute/welford.h"
#include "api/compute/eltwise_unary/bitwise.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fmod.h"
#include "api/compute/eltwise_unary/lgamma.h"
#include "api/compute/eltwise_unary/logical_not.h"
#include "api/compute/eltwise_unary/mac.h"
#include "api/compute/eltwise_unary/remainder.h"
#include "api/compute/eltwise_unary/rsub.h"
#include "api/compute/eltwise_unary/snake_beta.h"
#include "api/compute/eltwise_unary/softcap.h"
#include "api/compute/experimental/layernorm.h"
#include "experimental/llk_sfpu/ckernel_sfpu_sdpa.h"
)";

constexpr char kReduceIncludes[] = R"(
#include "api/compute/compute_kernel_api.h"
#include "api/compute/add_int_sfpu.h"
#include "api/compute/reduce.h"
#include "api/compute/sfpu_reduce.h"
)";

double log_of_sum(double a, double b) {
  if (std::isnan(a) || std::isnan(b) || a == b) return a + (std::isnan(b) ? b : std::log(2));
  return std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

double floor_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double gelu_tanh(double a, double) {
  const double u = std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a);
  // Written so that nothing is cancelled: (1 + tanh u) / 2 is 1 / (1 + e^(-2 u)).
  return std::isinf(a) && a < 0 ? 0 : a / (1 + std::exp(-2 * u));
}

// Of x and beta, and alpha. A great product is rounded to a float.
double snake_beta(double x, double alpha) {
  const double angle = alpha * x;
  const double sine = std::sin(std::abs(angle) < 1e6 ? angle : static_cast<float>(angle));
  return x + sine * sine / x;
}

bool is_close(double a, double b) {
  return a == b || (std::isfinite(a) && std::isfinite(b) &&
                    std::abs(static_cast<float>(a) - static_cast<float>(b)) <=
                        0.25f + 0.5f * std::abs(static_cast<float>(b)));
}

struct PairFunction {
  std::string call;  // of DST tiles 0 and 1, to tile 2
  std::function<double(double, double)> reference;
  double absolute = 0;  // error allowed beyond 1e-6 of the value
};

std::vector<PairFunction> pair_functions() {
  return {
      {"atan2_binary_tile_init(); atan2_binary_tile(0, 1, 2);",
       [](double a, double b) { return std::atan2(a, b); }},
      {"fmod_binary_tile_init(); fmod_binary_tile(0, 1, 2);",
       [](double a, double b) { return std::fmod(a, b); }},
      {"remainder_binary_tile_init(); remainder_binary_tile(0, 1, 2);", floor_remainder},
      {"logaddexp_binary_tile_init(); logaddexp_binary_tile(0, 1, 2);", log_of_sum, 1e-6},
      {"logaddexp2_binary_tile_init(); logaddexp2_binary_tile(0, 1, 2);",
       [](double a, double b) { return log_of_sum(a * M_LN2, b * M_LN2) / M_LN2; }, 2e-6},
      {"nextafter_binary_tile_init(); nextafter_binary_tile(0, 1, 2);",
       [](double a, double b) {
         return std::nextafter(static_cast<float>(a), static_cast<float>(b));
       }},
      {"isclose_binary_tile_init(); isclose_binary_tile(0, 1, 2, 0x3f000000, 0x3e800000);",
       [](double a, double b) { return is_close(a, b) ? 1.0 : 0; }},
      {"isclose_binary_tile<true>(0, 1, 2, 0x3f000000, 0x3e800000);",
       [](double a, double b) {
         return is_close(a, b) || (std::isnan(a) && std::isnan(b)) ? 1.0 : 0;
       }},
      {"logsigmoid_tile_init(); logsigmoid_tile(0, 1, 2);",
       [](double a, double) { return std::isnan(a) ? a : -log_of_sum(0, -a); }},
      {"copy_dest_values<DataFormat::Float32>(0, 2); softcap_tile_init(); "
       "softcap_tile(2, 0x40000000, 0x3f000000);",
       [](double a, double) { return 2 * std::tanh(a / 2); }},
      {"copy_dest_values<DataFormat::Float32>(0, 2); gelu_tanh_tile_init(); gelu_tanh_tile(2);",
       gelu_tanh, 1e-44},
      {"copy_dest_values<DataFormat::Float32>(0, 2); gelu_tanh_tile_init_pack(); "
       "gelu_tanh_tile_pack<false, true>(2);",
       gelu_tanh, 1e-44},
      {"snake_beta_tile_init(); snake_beta_tile<DataFormat::Float32>(0, 1, 0, 2);", snake_beta,
       2e-7},
      {"mac_tile_init<DataFormat::Float32>(); mac_tile<DataFormat::Float32>(0, 1, 0, 2);",
       [](double a, double b) { return static_cast<float>(a * b) + a; }, 1e-6},
      {"copy_dest_values<DataFormat::Float32>(0, 2); fmod_tile_init(0x40200000, 0); fmod_tile(2);",
       [](double a, double) { return std::fmod(a, 2.5); }},
      {"copy_dest_values<DataFormat::Float32>(0, 2); remainder_tile_init(0x40200000, 0); "
       "remainder_tile(2);",
       [](double a, double) { return floor_remainder(a, 2.5); }},
      {"copy_dest_values<DataFormat::Float32>(0, 2); logical_not_tile_init(); "
       "logical_not_tile<DataFormat::Float32>(2);",
       [](double a, double) { return a == 0 ? 1.0 : 0; }},
  };
}

// Random numbers, and each edge with each other.
std::vector<Tile> edge_operands() {
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
                                    20.0f,
                                    -20.0f,
                                    33.125f,
                                    -7.0625f,
                                    -Limits::infinity(),
                                    Limits::quiet_NaN()};
  for (size_t i = 0; i < edges.size() * edges.size(); ++i) {
    tiles[0][i] = edges[i / edges.size()];
    tiles[1][i] = edges[i % edges.size()];
  }
  return tiles;
}

void expect_near(const std::string& what, double expected, float result, double absolute) {
  const float rounded = static_cast<float>(expected);
  if (std::isnan(rounded)) {
    ASSERT_TRUE(std::isnan(result)) << what << ": " << result;
  } else if (std::isinf(rounded)) {
    ASSERT_EQ(result, rounded) << what;
  } else {
    ASSERT_NEAR(result, rounded, std::abs(expected) * 1e-6 + absolute + 3e-45) << what;
  }
}

TEST(SfpuOf2026, FunctionsOfTwoTilesAreRight) {
  const std::vector<PairFunction> functions = pair_functions();
  std::string body;
  for (size_t i = 0; i < functions.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); ",
                    functions[i].call,
                    " tile_regs_commit(); tile_regs_wait(); pack_tile<true>(2, 16, ", i,
                    "); tile_regs_release();\n");
  }
  const std::vector<Tile> inputs = edge_operands();
  TileProgram program;
  program.prelude(kIncludesOf2026).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, static_cast<uint32_t>(functions.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t f = 0; f < functions.size(); ++f) {
    const Tile results = program.floats(16, f);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      const double expected = functions[f].reference(inputs[0][i], inputs[1][i]);
      const auto what = absl::StrCat(functions[f].call, " of ", inputs[0][i], ", ", inputs[1][i]);
      ASSERT_NO_FATAL_FAILURE(expect_near(what, expected, results[i], functions[f].absolute));
    }
  }
}

// Runs `body` on one tile of floats in DST tile 0 and gives what it leaves in DST tile 1.
Tile result_of(const std::string& body, const std::vector<Tile>& inputs) {
  TileProgram program;
  program.prelude(kIncludesOf2026).input(0, DataFormat::Float32, inputs);
  program.output(16, DataFormat::Float32, 1);
  const absl::Status status = program.run(absl::StrCat(
      "tile_regs_acquire(); for (int i = 0; i < ", inputs.size(), "; ++i) copy_tile(0, i, i); ",
      body, " tile_regs_commit(); tile_regs_wait(); pack_tile<true>(1, 16, 0);"));
  EXPECT_TRUE(status.ok()) << status;
  return program.floats(16, 0);
}

TEST(SfpuOf2026, NextBfloat16IsFoundBothWays) {
  Tile a(kTileElements, 1.0f), b(kTileElements, 2.0f);
  a[1] = -1.0f;
  a[2] = 0.0f;
  b[3] = -2.0f;
  b[4] = 1.0f;
  const Tile next = result_of("nextafter_bf16_binary_tile(0, 1, 1);", {a, b});
  EXPECT_EQ(next[0], 1.0078125f);
  EXPECT_EQ(next[1], -0.99609375f);
  EXPECT_EQ(std::bit_cast<uint32_t>(next[2]), 0x10000u);
  EXPECT_EQ(next[3], 0.99609375f);
  EXPECT_EQ(next[4], 1.0f);
}

// A scale counts behind two template arguments only when the second says so, but the initialiser's
// counts in the fast approximating variant always: attention scales so.
TEST(SfpuOf2026, ExponentialsTakeTemplateArgumentsOfBothYears) {
  const Tile x = random_tile(5, -1, 1);
  const struct {
    std::string call;
    double scale;
  } cases[] = {
      {"exp_tile(1);", 1},
      {"exp_tile<true, true>(1);", 1},
      {"exp_tile<false, true>(1, VectorMode::RC, 0x4000);", 2},
      {"exp_tile<false, false>(1, VectorMode::RC, 0x4000);", 1},
      {"exp_tile<false, true, InputClamping::None>(1, VectorMode::RC, 0x4000);", 2},
      {"exp_tile_init<true, 0x3f000000>(); exp_tile<true, true, InputClamping::None>(1);", 0.5},
      {"exp_tile_init<true, 0x3f000000, InputClamping::None>(); "
       "exp_tile<true, false, InputClamping::None, 32>(1, VectorMode::None);",
       0.5},
      {"exp_tile_init<true, true, 0x3f000000>(); exp_tile<true, true>(1);", 0.5},
      {"exp_tile_init<true, 0x3f000000>(); exp_tile_init(); exp_tile<true, true>(1);", 1},
      {"exp_tile<false, true, true>(1, VectorMode::RC, 0x4000);", 2},
      {"exp_tile<false, true, false>(1, VectorMode::RC, 0x4000);", 1}};
  for (const auto& [call, scale] : cases) {
    const Tile y = result_of(call, {x, x});
    for (uint32_t i = 0; i < kTileElements; ++i)
      ASSERT_NEAR(y[i], std::exp(scale * x[i]), 1e-5) << call;
  }
}

TEST(SfpuOf2026, ReductionsOfDstAreRight) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2)};
  const auto at = [&](uint32_t tile, uint32_t row, uint32_t column) {
    return inputs[tile][in_faces(row, column)];
  };
  const Tile columns = result_of(
      "sfpu_reduce_init<PoolType::AVG, DataFormat::Float32>(); "
      "sfpu_reduce<PoolType::AVG, DataFormat::Float32>(1);",
      inputs);
  const Tile rows = result_of(
      "sfpu_reduce<PoolType::MIN, DataFormat::Float32, "
      "ReduceDim::REDUCE_ROW>(0, 2); copy_dest_values(1, 0);",
      inputs);
  for (uint32_t i = 0; i < 32; ++i) {
    double sum = 0;
    float least = at(0, i, 0);
    for (uint32_t k = 0; k < 32; ++k) {
      sum += at(1, k, i);
      least = std::min({least, at(0, i, k), at(1, i, k)});
    }
    ASSERT_NEAR(columns[in_faces(0, i)], sum / 32, 1e-5) << i;
    ASSERT_EQ(rows[in_faces(i, 0)], least) << i;
  }
}

// As the package's helper reduces more rows than fit: what it has goes through memory, and is a
// tile like another the next time.
TEST(SfpuOf2026, ReductionsThatGoThroughMemoryCountNothingTwice) {
  const std::vector<WordTile> inputs = {random_words(1), random_words(2)};
  const auto reduce = [](const std::string& input, const std::string& output) {
    return input +
           "sfpu_reduce_init<PoolType::SUM, DataFormat::Int32>();"
           "sfpu_reduce<PoolType::SUM, DataFormat::Int32, ReduceDim::REDUCE_ROW>(0, 1, 1);"
           "PACK((llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW, PackMode::Default>(16)));"
           "pack_tile<true>(0, 16, " +
           output +
           ");"
           "PACK((llk_pack_reduce_mask_clear()));";
  };
  TileProgram program;
  program.prelude(kReduceIncludes)
      .input_words(0, DataFormat::Int32, inputs)
      .output(16, DataFormat::Int32, 2);
  const absl::Status status =
      program.run("cb_wait_front(0, 2); acquire_dst();" + reduce("copy_tile(0, 0, 0);", "0") +
                  "cb_push_back(16, 1); cb_wait_front(16, 1); acquire_dst();" +
                  reduce("copy_tile(16, 0, 0); copy_tile(0, 1, 1); add_int_tile_init();"
                         "add_int_tile<DataFormat::Int32>(0, 1, 0);",
                         "0"));
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t row = 0; row < 32; ++row) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 64; ++i) sum += inputs[i / 32][in_faces(row, i % 32)];
    ASSERT_EQ(program.words(16, 1)[in_faces(row, 0)], sum) << row;
  }
}

TEST(SfpuOf2026, BroadcastsWithinDstAreRight) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2), random_tile(3)};
  const Tile product = result_of("sfpu_mul_bcast_row(1, 0);", inputs);
  const Tile normal = result_of("sfpu_normalize_bcast_col(1, 0, 2);", inputs);
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      const uint32_t i = in_faces(row, column);
      const double mean = inputs[0][in_faces(row, 0)], factor = inputs[2][in_faces(row, 0)];
      ASSERT_EQ(product[i], inputs[1][i] * inputs[0][in_faces(0, column)]);
      ASSERT_NEAR(normal[i], (inputs[1][i] - mean) * factor, 1e-5);
    }
  }
}

TEST(SfpuOf2026, WelfordGivesMeanAndVarianceOfColumns) {
  const std::vector<Tile> inputs = {random_tile(1, 99, 101), random_tile(2, 99, 101)};
  const std::string update =
      "welford_init(); welford_update<0>(0, 0, {}); welford_save_state(2); welford_clear(); "
      "welford_restore_state(2); welford_update_rows<0>(1, 32, 4, 20, {}); ";
  const Tile mean = result_of(update + "welford_finalize_to_row<0>(1, 51, {});", inputs);
  const Tile variance = result_of(update + "welford_finalize_to_row<0>(0, 51, {});", inputs);
  for (uint32_t column = 0; column < 32; ++column) {
    std::vector<double> values;
    for (uint32_t row = 0; row < 52; ++row) {
      values.push_back(inputs[row / 32][in_faces(row < 32 ? row : row - 32 + 4, column)]);
    }
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    for (const double value : values) squares += std::pow(value - sum / 52, 2);
    ASSERT_NEAR(mean[in_faces(0, column)], sum / 52, 1e-4);
    ASSERT_NEAR(variance[in_faces(0, column)], squares / 52, 1e-4);
  }
}

std::vector<double> rows_of_column(const std::vector<Tile>& tiles, uint32_t column, uint32_t rows) {
  std::vector<double> values;
  for (uint32_t row = 0; row < rows; ++row)
    values.push_back(tiles[row / 32][in_faces(row % 32, column)]);
  return values;
}
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}
double variance_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += std::pow(value - mean_of(values), 2);
  return squares / static_cast<double>(values.size());
}
std::string float_bits(double value) {
  return absl::StrCat(std::bit_cast<uint32_t>(static_cast<float>(value)), "u");
}

// 52 rows at once with both sums of the second pass, and in blocks of 32 and 20 that are combined.
TEST(SfpuOf2026, StatisticsInTwoPassesAreRight) {
  const std::vector<Tile> inputs = {random_tile(1, 999, 1001), random_tile(2, 999, 1001)};
  const std::string first =
      "two_pass_stats_init_shifted(); two_pass_stats_update_shifted_rows<"
      "TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise>(0, 0, 32); ";
  const std::string whole =
      first +
      "two_pass_stats_update_shifted_rows<TwoPassAccumulation::ShiftedSum>(1, 0, 20); "
      "two_pass_stats_finish_shifted_mean<true, true>(" +
      float_bits(1.0 / 52) + "); ";
  const std::string blocks =
      first + "two_pass_stats_finish_shifted_mean(" + float_bits(1.0 / 32) +
      "); two_pass_stats_update_rows(0, 0, 32); two_pass_stats_save_state(2); "
      "two_pass_stats_save_anchor_to_state(2); two_pass_stats_update_shifted_rows<"
      "TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise>(1, 0, 20); "
      "two_pass_stats_finish_shifted_mean(" +
      float_bits(1.0 / 20) + "); two_pass_stats_update_rows(1, 0, 20); " +
      "two_pass_stats_combine_block(2, " + float_bits(1.0 / 52) + ", " + float_bits(20) +
      "); two_pass_stats_restore_anchor_from_state(2); ";
  const std::string passes[] = {
      whole + "two_pass_stats_update_rows(0, 0, 32); two_pass_stats_update_rows(1, 0, 20); ",
      whole +
          "two_pass_stats_update_shifted_rows<TwoPassAccumulation::CentredM2>(0, 0, 32); "
          "two_pass_stats_update_shifted_rows<TwoPassAccumulation::CentredM2>(1, 0, 20); ",
      blocks};
  const std::string scale = float_bits(1.0 / 52);
  for (const std::string& pass : passes) {
    const Tile mean = result_of(pass + "two_pass_stats_finalize_to_row(1, " + scale + ");", inputs);
    const Tile variance =
        result_of(pass + "two_pass_stats_finalize_to_row<true, false>(0, " + scale + ");", inputs);
    const Tile split =
        result_of(pass + "two_pass_stats_finalize_split_mean_to_row(1, " + scale + ");", inputs);
    for (uint32_t column = 0; column < 32; ++column) {
      const std::vector<double> values = rows_of_column(inputs, column, 52);
      ASSERT_NEAR(mean[in_faces(0, column)], mean_of(values), 1e-4) << pass;
      ASSERT_NEAR(variance[in_faces(0, column)], variance_of(values), 1e-4) << pass;
      const double anchor = split[in_faces(0, column)];
      ASSERT_EQ(anchor, values[0]) << pass;
      ASSERT_NEAR(anchor - split[in_faces(16, column)], mean_of(values), 1e-4) << pass;
    }
  }
}

TEST(SfpuOf2026, AnchorsOutliveOtherStatistics) {
  const std::vector<Tile> inputs = {random_tile(1, 9, 11), random_tile(2, 9, 11)};
  const Tile split = result_of(
      "two_pass_stats_init_shifted(); two_pass_stats_update_shifted_rows<"
      "TwoPassAccumulation::ShiftedSum, TwoPassAnchor::Initialise>(0, 3, 1); "
      "two_pass_stats_save_anchor(0); two_pass_stats_clear(); two_pass_stats_restore_anchor(0); "
      "two_pass_stats_finalize_split_mean_to_row(1, 0);",
      inputs);
  EXPECT_EQ(split[in_faces(0, 7)], inputs[0][in_faces(3, 7)]);
}

// The values lie so far from zero that a float of the mean drops what tells them apart.
TEST(SfpuOf2026, ACompensatedMeanIsTakenInTwoParts) {
  Tile input(kTileElements), means(kTileElements, 0.0f);
  const float far = 1 << 23;
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column)
      input[in_faces(row, column)] = far + static_cast<float>((row + column) % 5);
    means[in_faces(row, 0)] = far;
    means[in_faces(row, 16)] = -0.25f;
  }
  TileProgram program;
  program.prelude(kIncludesOf2026).input(0, DataFormat::Float32, {random_tile(1), input, input});
  program.input(1, DataFormat::Float32, {means}).output(16, DataFormat::Float32, 2);
  const absl::Status status = program.run(
      "sub_bcast_cols_compensated_init(0, 1); tile_regs_acquire(); "
      "sub_bcast_cols_compensated(0, 1, 1, 0, 2); pack_tile(0, 16); pack_tile(1, 16);");
  ASSERT_TRUE(status.ok()) << status;
  for (const uint32_t tile : {0u, 1u}) {
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t column = 0; column < 32; ++column)
        ASSERT_EQ(program.floats(16, tile)[in_faces(row, column)], (row + column) % 5 - 0.25);
    }
  }
}

TEST(SfpuOf2026, ResidualsAreAddedBeforeTheyAreNormalised) {
  const std::vector<Tile> inputs = {random_tile(1), random_tile(2), random_tile(3), random_tile(4)};
  const Tile normal = result_of("sfpu_residual_normalize_bcast_col(1, 0, 2, 3);", inputs);
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t column = 0; column < 32; ++column) {
      const uint32_t i = in_faces(row, column);
      const double mean = inputs[2][in_faces(row, 0)], factor = inputs[3][in_faces(row, 0)];
      ASSERT_NEAR(normal[i], (double{inputs[0][i]} + inputs[1][i] - mean) * factor, 1e-5);
    }
  }
}

// What attention kernels do with the first column of DST tile 1.
TEST(SfpuOf2026, FunctionsOfTheFirstColumnAreRight) {
  const auto call = [](const std::string& function, const std::string& arguments) {
    return absl::StrCat("SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, ", function, ", 1, ",
                        "VectorMode::C", arguments, ");");
  };
  const struct {
    std::string body;
    std::function<double(double)> reference;
  } cases[] = {
      {"SFPU_UNARY_INIT_FN(reciprocal, sfpu::sfpu_reciprocal_init, (APPROX)); " +
           call("calculate_recip_first_column, (DST_ACCUM_MODE)", ""),
       [](double x) { return 1 / x; }},
      {call("calculate_exponential_first_column, (false, 0xbf80, DST_ACCUM_MODE)", ""),
       [](double x) { return std::exp(-x); }},
      {call("calculate_softplus_first_column, (DST_ACCUM_MODE)",
            ", 0x40000000, 0x3f000000, 0x41a00000"),
       [](double x) { return std::log1p(std::exp(2 * x)) / 2; }},
      {call("calculate_binop_with_scalar, (APPROX, RSUB_UNARY, 8, DST_ACCUM_MODE)", ", 0x40400000"),
       [](double x) { return 3 - x; }},
  };
  const Tile x = random_tile(5, 0.5f, 2);
  for (const auto& [body, reference] : cases) {
    const Tile y = result_of(body, {x, x});
    for (uint32_t row = 0; row < 32; ++row) {
      const uint32_t i = in_faces(row, 0);
      ASSERT_NEAR(y[i], reference(x[i]), 1e-6 * std::abs(reference(x[i])) + 1e-7) << body;
      ASSERT_EQ(y[in_faces(row, 31)], x[in_faces(row, 31)]) << body;
    }
  }
}

// Two parts of a softmax: maxima in tiles 0 and 1, sums in 3 and 4 (or 2).
TEST(SfpuOf2026, PartsOfASoftmaxAreJoined) {
  std::vector<Tile> inputs;
  for (uint32_t i = 0; i < 5; ++i) inputs.push_back(random_tile(i + 1, i < 2 ? -3.0f : 1.0f, 3));
  for (const bool reuse : {false, true}) {
    const uint32_t second_sum = reuse ? 2 : 4;
    for (uint32_t wanted = 0; wanted < 4; ++wanted) {
      const Tile result = result_of(
          absl::StrCat("SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, "
                       "calculate_fused_max_sub_exp_add_tile, (DST_ACCUM_MODE, ",
                       reuse ? "true" : "false", "), 0, VectorMode::C, 0x3f00); ",
                       wanted == 1 ? "" : absl::StrCat("copy_dest_values(1, ", wanted, ");")),
          inputs);
      for (uint32_t row = 0; row < 32; ++row) {
        const auto at = [&](uint32_t tile) { return double{inputs[tile][in_faces(row, 0)]}; };
        const double joint = std::max(at(0), at(1));
        const double factors[] = {std::exp((at(0) - joint) / 2), std::exp((at(1) - joint) / 2)};
        const double expected[] = {factors[0], factors[1], joint,
                                   factors[0] * at(3) + factors[1] * at(second_sum)};
        ASSERT_NEAR(result[in_faces(row, 0)], expected[wanted], 1e-6 * std::abs(expected[wanted]));
      }
    }
  }
}

// As a matmul with a fused activation has its packing processor do it.
TEST(SfpuOf2026, ActivationsRunBeforePacking) {
  const Tile x = random_tile(5);
  const Tile y = result_of(
      "tile_regs_commit(); PACK(TTI_SEMWAIT(p_stall::STALL_TDMA | p_stall::STALL_CFG, "
      "semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO)); "
      "PACK(TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, "
      "ckernel::packer::get_packer_dest_offset())); relu_max_tile_pack(1, 0x40000000); "
      "PACK(TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::WAIT_SFPU));",
      {x, x});
  for (uint32_t i = 0; i < kTileElements; ++i)
    ASSERT_EQ(y[i], std::min(std::max(x[i], 0.0f), 2.0f));
}

struct WordFunction {
  std::string call;  // of DST tiles 0 and 1, to tile 2
  std::function<uint32_t(uint32_t, uint32_t)> reference;
};

TEST(SfpuOf2026, WholeNumbersGoByTheirFormat) {
  const auto shift = [](uint64_t value, uint32_t by) {
    return by > 31 ? 0 : static_cast<uint32_t>(value << by);
  };
  const std::vector<WordFunction> functions = {
      {"lt_int_tile_init<DataFormat::Int32>(); lt_int_tile<DataFormat::Int32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) {
         return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? 1u : 0u;
       }},
      {"lt_int_tile<DataFormat::UInt32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return a < b ? 1u : 0u; }},
      {"ge_int_tile<DataFormat::UInt16>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return a >= b ? 1u : 0u; }},
      {"eq_int_tile<DataFormat::UInt32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return a == b ? 1u : 0u; }},
      {"le_int_tile<DataFormat::Int32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) {
         return static_cast<int32_t>(a) <= static_cast<int32_t>(b) ? 1u : 0u;
       }},
      {"gt_int_tile<DataFormat::UInt32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return a > b ? 1u : 0u; }},
      {"ne_int_tile<DataFormat::Int32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return a != b ? 1u : 0u; }},
      {"binary_left_shift_tile<DataFormat::UInt16>(0, 1, 2);",
       [&](uint32_t a, uint32_t b) { return shift(a, b) & 0xffff; }},
      {"binary_right_shift_tile<DataFormat::UInt32>(0, 1, 2);",
       [](uint32_t a, uint32_t b) { return b > 31 ? 0 : a >> b; }},
      {"copy_dest_values<DataFormat::Int32>(0, 2); bitwise_xor_tile<DataFormat::Int32>(2, 5);",
       [](uint32_t a, uint32_t) { return a ^ 5; }},
      {"copy_dest_values<DataFormat::Int32>(0, 2); logical_not_tile<DataFormat::Int32>(2);",
       [](uint32_t a, uint32_t) { return a == 0 ? 1u : 0u; }},
      {"copy_dest_values<DataFormat::Int32>(0, 2); rsub_unary_int32_tile(2, 7);",
       [](uint32_t a, uint32_t) { return 7 - a; }},
  };
  std::vector<WordTile> inputs = {random_words(1), random_words(2)};
  for (uint32_t i = 0; i < kTileElements; i += 2) {
    inputs[0][i] = i % 3 == 0 ? 0 : 0x80000000 + i;
    inputs[1][i] = i % 40;
  }
  inputs[1][4] = inputs[0][4];
  std::string body;
  for (size_t i = 0; i < functions.size(); ++i) {
    absl::StrAppend(&body, "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 1, 1); ",
                    functions[i].call, " pack_tile<true>(2, 16, ", i, ");\n");
  }
  TileProgram program;
  program.prelude(kIncludesOf2026).input_words(0, DataFormat::Int32, inputs);
  program.output(16, DataFormat::Int32, static_cast<uint32_t>(functions.size()));
  const absl::Status status = program.run(body);
  ASSERT_TRUE(status.ok()) << status;
  for (uint32_t f = 0; f < functions.size(); ++f) {
    const WordTile results = program.words(16, f);
    for (uint32_t i = 0; i < kTileElements; ++i) {
      ASSERT_EQ(results[i], functions[f].reference(inputs[0][i], inputs[1][i]))
          << functions[f].call << " of " << inputs[0][i] << ", " << inputs[1][i];
    }
  }
}

TEST(SfpuOf2026, WordsOfATileAreRead) {
  const Tile tile = random_tile(7);
  const Tile read = result_of(
      "fill_tile_bitcast(1, read_tile_value(0, 1, 3)); "
      "if (get_tile_address(0, 1) != get_tile_address(0, 0) + 4096) fill_tile(1, 0.0f);",
      {tile, random_tile(8)});
  EXPECT_EQ(read[0], random_tile(8)[3]);
}

// A helper may name what is not there; only a call is refused, with a sentence.
TEST(SfpuOf2026, WhatIsNotThereIsRefusedWhereItIsCalled) {
  const std::string helper = "struct Helper { static void run() { lgamma_stirling_tile(0); } };\n";
  TileProgram named, called;
  named.prelude(kIncludesOf2026 + helper).output(16, DataFormat::Float32, 1);
  EXPECT_TRUE(named.run("").ok());
  called.prelude(kIncludesOf2026 + helper).output(16, DataFormat::Float32, 1);
  EXPECT_THAT(message_of(called.run("Helper::run();")),
              HasSubstr("refused: lgamma_stirling_tile: the logarithm of the gamma function"));
}

}  // namespace
}  // namespace lightmetal::device::testing
