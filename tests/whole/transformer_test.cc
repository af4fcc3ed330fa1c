// The programs of examples/transformer_block, one by one and together, against the reference in
// double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <tt-metalium/device.hpp>
#include <tt-metalium/tilize_untilize.hpp>
#include <vector>

#include "examples/common/agreement.h"
#include "examples/common/command_line.h"
#include "examples/common/tiles.h"
#include "examples/transformer_block/attention_program.h"
#include "examples/transformer_block/encoder_block.h"
#include "examples/transformer_block/layer_norm_program.h"
#include "examples/transformer_block/linear_program.h"
#include "examples/transformer_block/reference.h"
#include "tests/support/process.h"

namespace example::transformer {
namespace {

using namespace tt::tt_metal;

// Results of one program have a rounding to bfloat16 (2^-9 of the value) at the end, and little
// else.
constexpr double kRounding = 1.0 / 256;

class TransformerPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = CreateDevice(0, 1, DEFAULT_L1_SMALL_SIZE, kTraceRegionSize);
    grid_ = device_->compute_with_storage_grid_size();
  }
  void TearDown() override { CloseDevice(device_); }

  std::shared_ptr<Buffer> on_device(const Matrix& matrix) {
    const Matrix tiles = tilized(matrix);
    auto buffer = make_tiles(device_, tiles_in(tiles.rows) * tiles_in(tiles.columns));
    EnqueueWriteBuffer(device_->command_queue(), buffer, tiles.values.data(), /*blocking=*/true);
    return buffer;
  }

  std::shared_ptr<Buffer> result_buffer(uint32_t rows, uint32_t columns) {
    return on_device({rows, columns, std::vector<bfloat16>(size_t{rows} * columns)});
  }

  std::vector<double> run(Program& program, const std::shared_ptr<Buffer>& result, uint32_t rows,
                          uint32_t columns) {
    EnqueueProgram(device_->command_queue(), program, /*blocking=*/false);
    std::vector<bfloat16> values;
    EnqueueReadBuffer(device_->command_queue(), result, values, /*blocking=*/true);
    untilize(values, rows, columns);
    return doubles(values);
  }

  std::vector<double> run_block(const BlockShape& shape, const BlockWeights& weights,
                                const Matrix& input) {
    const auto device = example::transformer::on_device(device_);
    auto values = run_encoder_block(*device, shape, tilized(weights), tilized(input), 1);
    untilize(values, shape.tokens, shape.width);
    return doubles(values);
  }

  IDevice* device_ = nullptr;
  CoreCoord grid_;
};

Matrix random_matrix(uint32_t rows, uint32_t columns, float spread, int seed, float centre = 0) {
  const size_t bytes = size_t{rows} * columns * sizeof(bfloat16);
  return {rows, columns,
          create_random_vector_of_bfloat16_native(bytes, 2 * spread, seed, centre - spread)};
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_close(const std::vector<double>& expected, const std::vector<double>& found,
                  double tolerance) {
  ASSERT_EQ(expected.size(), found.size());
  const Agreement agreement = compare(expected, found);
  EXPECT_GT(agreement.pearson, 0.9999);
  EXPECT_LE(agreement.max_absolute_error, tolerance * largest(expected));
}

// ---- Layer norm ----

TEST_F(TransformerPrograms, LayerNormMatchesTheReference) {
  constexpr uint32_t kRows = 96, kWidth = 160;
  const Matrix x = random_matrix(kRows, kWidth, 3, 1, 2);
  const LayerNormWeights weights = {random_matrix(1, kWidth, 1, 2), random_matrix(1, kWidth, 1, 3)};
  const auto x_buffer = on_device(x), gamma = on_device(weights.gamma),
             beta = on_device(weights.beta), result = result_buffer(kRows, kWidth);
  Program program = make_layer_norm_program(
      grid_, tiles_in(kRows), tiles_in(kWidth),
      {x_buffer->address(), gamma->address(), beta->address(), result->address()});
  expect_close(reference::layer_norm(doubles(x.values), weights),
               run(program, result, kRows, kWidth), kRounding);
}

// A row without variance is where epsilon shows: 0 / sqrt(0 + epsilon).
TEST_F(TransformerPrograms, LayerNormOfAConstantRowIsBeta) {
  const Matrix x = {32, 64, std::vector<bfloat16>(32 * 64, bfloat16(4.0f))};
  const LayerNormWeights weights = {random_matrix(1, 64, 1, 2), random_matrix(1, 64, 1, 3)};
  const auto x_buffer = on_device(x), gamma = on_device(weights.gamma),
             beta = on_device(weights.beta), result = result_buffer(32, 64);
  Program program = make_layer_norm_program(
      grid_, 1, 2, {x_buffer->address(), gamma->address(), beta->address(), result->address()});
  const std::vector<double> found = run(program, result, 32, 64);
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], weights.beta.values[i % 64].to_float(), 1e-6) << "element " << i;
}

// ---- Linear ----

class LinearProgram : public TransformerPrograms {
 protected:
  // Returns {expected without options, found}.
  void check(uint32_t rows, uint32_t inner, uint32_t columns, bool gelu, bool with_residual) {
    SCOPED_TRACE(testing::Message() << rows << "x" << inner << "x" << columns);
    const Matrix a = random_matrix(rows, inner, 1, 1);
    const LinearWeights weights = {random_matrix(inner, columns, 0.25f, 2),
                                   random_matrix(1, columns, 1, 3)};
    const Matrix residual = random_matrix(rows, columns, 2, 4);
    const auto a_buffer = on_device(a), weight = on_device(weights.weight),
               bias = on_device(weights.bias), residual_buffer = on_device(residual),
               result = result_buffer(rows, columns);
    Program program = make_linear_program(
        grid_, {tiles_in(rows), tiles_in(inner), tiles_in(columns)},
        {a_buffer->address(), weight->address(), bias->address(), result->address()},
        {.gelu = gelu, .residual = with_residual ? residual_buffer->address() : 0});

    std::vector<double> expected = reference::linear(doubles(a.values), weights);
    if (gelu) reference::gelu(expected);
    for (size_t i = 0; with_residual && i < expected.size(); ++i)
      expected[i] += residual.values[i].to_float();
    expect_close(expected, run(program, result, rows, columns), kRounding);
  }
};

TEST_F(LinearProgram, AddsTheBias) { check(64, 96, 64, false, false); }
TEST_F(LinearProgram, AppliesGelu) { check(64, 96, 64, true, false); }
TEST_F(LinearProgram, AddsTheResidual) { check(64, 96, 64, false, true); }
TEST_F(LinearProgram, AppliesGeluBeforeTheResidual) { check(64, 96, 64, true, true); }
TEST_F(LinearProgram, TakesOneTile) { check(32, 32, 32, false, true); }

// More tiles than cores: wider blocks, several of them per core.
TEST_F(LinearProgram, TakesBlocksOfSeveralTiles) {
  check(32 * 16, 32 * 10, 32 * 8, false, false);
  check(32 * 13, 32 * 12, 32 * 15, true, true);
}

// ---- Attention ----

TEST_F(TransformerPrograms, AttentionMatchesTheReference) {
  for (const BlockShape& shape :
       {BlockShape{32, 32, 1}, BlockShape{96, 128, 2}, BlockShape{64, 96, 3}}) {
    SCOPED_TRACE(testing::Message() << shape.tokens << " tokens, " << shape.heads << " heads");
    const Matrix qkv = random_matrix(shape.tokens, shape.qkv_width(), 1.5, 1);
    const auto qkv_buffer = on_device(qkv), result = result_buffer(shape.tokens, shape.width);
    Program program =
        make_attention_program(grid_, shape, qkv_buffer->address(), result->address());
    expect_close(reference::attention(doubles(qkv.values), shape),
                 run(program, result, shape.tokens, shape.width), 0.02);
  }
}

// Queries and keys far from zero: scores of about +-200, whose exponentials no float holds.
TEST_F(TransformerPrograms, SoftmaxSurvivesLargeScores) {
  const BlockShape shape = {64, 64, 1};
  for (const float centre : {5.0f, -5.0f}) {
    Matrix qkv = random_matrix(shape.tokens, shape.qkv_width(), 1, 1);
    for (size_t i = 0; i < qkv.values.size(); ++i) {
      const size_t column = i % shape.qkv_width();
      const float shift = column < 64 ? 5.0f : column < 128 ? centre : 0.0f;
      qkv.values[i] = bfloat16(qkv.values[i].to_float() + shift);
    }
    const auto qkv_buffer = on_device(qkv), result = result_buffer(shape.tokens, shape.width);
    Program program =
        make_attention_program(grid_, shape, qkv_buffer->address(), result->address());
    expect_close(reference::attention(doubles(qkv.values), shape),
                 run(program, result, shape.tokens, shape.width), 0.02);
  }
}

// ---- The block ----

TEST_F(TransformerPrograms, TheBlockMatchesTheReference) {
  for (const BlockShape& shape :
       {BlockShape{32, 32, 1}, BlockShape{64, 96, 3}, BlockShape{96, 128, 1}}) {
    const BlockWeights weights = make_weights(shape, 1);
    const Matrix input = make_input(shape, 1);
    const auto expected = reference::encoder_block(input, weights, shape);
    const auto found = run_block(shape, weights, input);
    expect_close(expected, found, 0.02);

    // What the block adds to its input agrees too, not only the input that it passes on.
    std::vector<double> expected_change = expected, found_change = found;
    for (size_t i = 0; i < expected.size(); ++i) {
      expected_change[i] -= input.values[i].to_float();
      found_change[i] -= input.values[i].to_float();
    }
    EXPECT_GT(compare(expected_change, found_change).pearson, 0.9995);
  }
}

TEST_F(TransformerPrograms, TheTraceSeesNewInput) {
  const BlockShape shape = {32, 64, 2};
  const BlockWeights weights = make_weights(shape, 3);
  const auto device = example::transformer::on_device(device_);
  EncoderBlock block(*device, shape, tilized(weights));
  block.write_input(tilized(make_input(shape, 3)));
  block.run_programs();
  const std::vector<bfloat16> eager = block.read_result();
  block.capture_trace();
  block.write_input(tilized(make_input(shape, 4)));
  block.replay_trace();
  EXPECT_NE(block.read_result(), eager);
  block.write_input(tilized(make_input(shape, 3)));
  block.replay_trace();
  EXPECT_EQ(block.read_result(), eager);
}

TEST(TransformerWeights, DependOnTheSeedAlone) {
  const BlockShape shape = {32, 32, 1};
  EXPECT_EQ(make_weights(shape, 5).qkv.weight.values, make_weights(shape, 5).qkv.weight.values);
  EXPECT_NE(make_weights(shape, 5).qkv.weight.values, make_weights(shape, 6).qkv.weight.values);
  EXPECT_NE(make_weights(shape, 5).attention_norm.gamma.values,
            make_weights(shape, 5).mlp_norm.gamma.values);
}

TEST(TransformerShape, SizesThatAreNoTilesAreRefused) {
  const auto message = [](const BlockShape& shape) -> std::string {
    try {
      check_shape(shape);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({128, 512, 8}), "");
  EXPECT_NE(message({100, 512, 8}).find("tokens"), std::string::npos);
  EXPECT_NE(message({0, 512, 8}).find("tokens"), std::string::npos);
  EXPECT_NE(message({1 << 17, 512, 8}).find("up to 65536"), std::string::npos);
  EXPECT_NE(message({128, 500, 5}).find("the width must"), std::string::npos);
  EXPECT_NE(message({128, 512, 7}).find("divide the width, 512, which 7"), std::string::npos);
  EXPECT_NE(message({128, 512, 0}).find("divide the width"), std::string::npos);
  EXPECT_NE(message({128, 512, 32}).find("width of a head"), std::string::npos);
}

struct Case {
  const char* argument;
  const char* value;
  const char* message;
};

TEST(TransformerCommandLine, SizesThatAreNoTilesExitWithTwo) {
  const std::string program = std::string(LIGHTMETAL_BIN_FOLDER) + "/transformer_block";
  for (const auto& [argument, value, message] :
       {Case{"--tokens", "100", "multiple of 32"}, Case{"--heads", "7", "divide the width"},
        Case{"--width", "many", "many"}, Case{"--iterations", "0", "must be positive"}}) {
    const lightmetal::testing::ProcessResult result =
        lightmetal::testing::run_process({program, argument, value});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace example::transformer
