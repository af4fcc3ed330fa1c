// Layer norm and RMS norm of rows: of what comes in or of its sum with a residual, times gamma and
// plus beta. A unit of work is a row of tiles. What fills the last tile of a row up are numbers,
// too, which must not count.
#include <cmath>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::normalization {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kNodes = 3, kBlock = 2;
constexpr float kEpsilon = 0.25F;  // large enough to be seen
constexpr char kFolder[] = "operations/normalization/layernorm/device/kernels/";

// How the compute kernel finds mean and variance.
enum class Statistics {
  kOfRows,    // with the row in L1
  kOfBlocks,  // with the row read once for each of mean, variance and result
  kShifted,   // "Welford": in two passes, less a first guess of the mean
};

struct Normalization {
  uint32_t batches, rows, columns;
  bool rms = false;  // else the mean is taken away first
  bool gamma = false, beta = false;
  bool residual = false;  // is added to what comes in
  Statistics statistics = Statistics::kOfRows;
  bool sticks = false;  // gamma and beta lie in rows of 32 elements, not in tiles

  uint32_t ht() const { return (rows + 31) / 32; }
  uint32_t wt() const { return (columns + 31) / 32; }
  uint32_t filled() const { return wt() * 32; }
  // A row in whole blocks.
  uint32_t row_tiles() const { return (wt() + kBlock - 1) / kBlock * kBlock; }
  bool streams() const { return statistics == Statistics::kOfBlocks; }
  bool shifted() const { return statistics == Statistics::kShifted; }
};

struct Inputs {
  std::vector<float> values, residual, gamma, beta;
};

Inputs inputs(const Normalization& of) {
  const size_t count = of.batches * of.rows * of.filled();
  return {random_values(count, 1, -1, 2), random_values(count, 2, -1, 1),
          random_values(of.filled(), 3, 0.5, 2), random_values(of.filled(), 4, -1, 1)};
}

std::vector<double> normalized(const Normalization& of, const Inputs& from) {
  std::vector<double> result(of.batches * of.rows * of.columns);
  for (size_t row = 0; row < of.batches * of.rows; ++row) {
    const auto x = [&](size_t column) -> double {
      const size_t i = row * of.filled() + column;
      return from.values[i] + (of.residual ? from.residual[i] : 0.0);
    };
    double mean = 0, variance = 0;
    for (size_t i = 0; i < of.columns; ++i) mean += of.rms ? 0 : x(i) / of.columns;
    for (size_t i = 0; i < of.columns; ++i) variance += std::pow(x(i) - mean, 2) / of.columns;
    for (size_t i = 0; i < of.columns; ++i) {
      const double value = (x(i) - mean) / std::sqrt(variance + kEpsilon);
      result[row * of.columns + i] =
          value * (of.gamma ? from.gamma[i] : 1) + (of.beta ? from.beta[i] : 0);
    }
  }
  return result;
}

class Normalize : public PackagedOperator {
 protected:
  using Names = std::vector<std::string>;

  static std::string path(const std::string& name) { return kernel(kFolder + name + ".cpp"); }

  // The buffers that the reader fills, those that the compute kernel has for itself.
  static Names read(const Normalization& of) {
    Names names{"eps", "in"};
    if (!of.shifted()) names.push_back("scaler");
    if (of.residual) names.push_back("inb");
    if (of.gamma) names.push_back("gamma");
    if (of.beta) names.push_back("beta");
    return names;
  }
  static Names own(const Normalization& of) {
    Names names{"ex2", "ex2pe"};
    if (!of.rms) names.push_back("ex");
    if (!of.shifted()) names.push_back("xmm2");
    if (!of.rms || of.residual || of.streams()) names.push_back("xmm");
    if (!of.rms && of.residual) names.push_back("x");
    if (of.gamma || of.beta) names.push_back("fusion");
    if (of.streams()) names.push_back("accumulate");
    return names;
  }
  static uint32_t tiles_of(const std::string& buffer, const Normalization& of) {
    for (const char* name : {"eps", "ex", "ex2", "ex2pe", "accumulate"}) {
      if (buffer == name) return 1;
    }
    if (buffer == "scaler") return of.columns % 32 == 0 ? 1 : 2;
    const bool passes = of.streams() || buffer == "out" || buffer == "fusion" ||
                        (of.residual && (buffer == "in" || buffer == "inb"));
    return passes ? 2 * kBlock : of.row_tiles();
  }
  static Group<DataflowBufferSpec> buffers(const Normalization& of) {
    Group<DataflowBufferSpec> buffers{buffer_of("out", tiles_of("out", of))};
    for (const Names& names : {read(of), own(of)}) {
      for (const auto& name : names) buffers.push_back(buffer_of(name, tiles_of(name, of)));
    }
    return buffers;
  }

  static OperatorKernel reader(const Normalization& of) {
    OperatorKernel reads{
        .source = path(of.streams() ? "dataflow/reader_unary_interleaved_ln_large_tensor"
                       : of.sticks  ? "dataflow/reader_unary_interleaved_ln_rm_gb"
                                    : "dataflow/reader_unary_interleaved_ln"),
        .produces = read(of),
        .tensors = {"src"},
        .constants = {{"block_size", kBlock}, {"W", of.columns}},
        .arguments = [=](const Share& share) {
          return Arguments{{"NCHt", share.count},
                           {"Wt", of.wt()},
                           {"reader_start", share.first * (of.sticks ? of.wt() : 1)},
                           {"eps", float_bits(kEpsilon)}};
        }};
    if (of.residual) reads.tensors.emplace_back("src_b");
    if (of.gamma) reads.tensors.emplace_back("gamma");
    if (of.beta) reads.tensors.emplace_back("beta");
    return reads;
  }

  static OperatorKernel compute(const Normalization& of) {
    OperatorKernel computes{
        .source = path(of.streams()   ? "compute/layernorm_large_tensor"
                       : of.shifted() ? "compute/layernorm_welford"
                                      : "compute/layernorm"),
        .consumes = read(of),
        .produces = own(of),
        .constants = {{"Wt", of.wt()},
                      {"W", of.columns},
                      {"tile_width", 32},
                      {"block_size", kBlock},
                      {"do_gamma", of.gamma},
                      {"do_beta", of.beta},
                      {"fp32_dest_acc_en", 0},
                      {"float32_reduction", 0},
                      {"fuse_pre_add", of.residual},
                      {"reciprocal_w", float_bits(1.F / static_cast<float>(of.columns))}},
        .arguments = [](const Share& share) {
          return Arguments{{"NCHt", share.count}};
        }};
    computes.consumes.insert(computes.consumes.end(), computes.produces.begin(),
                             computes.produces.end());
    computes.produces.emplace_back("out");
    return computes;
  }

  static OperatorKernel writer(const Normalization& of) {
    return {.source = path("dataflow/writer_unary_interleaved_start_id_blocked"),
            .consumes = {"out"},
            .tensors = {"dst"},
            .constants = {{"block_size", kBlock}},
            .arguments = [=](const Share& share) {
              return Arguments{{"Wt", of.wt()},
                               {"num_tile_rows", share.count},
                               {"writer_start", share.first * of.wt()}};
            }};
  }

  static MeshTensor upload_weights(distributed::MeshDevice& mesh, const Normalization& of,
                                   const std::vector<float>& values) {
    return upload(mesh, values,
                  of.sticks ? spec_of(Shape({of.wt(), 32}), DataType::BFLOAT16, Layout::ROW_MAJOR)
                            : spec_of(Shape({1, of.filled()})));
  }

  static std::vector<float> without_filling(const Normalization& of,
                                            const std::vector<float>& values) {
    std::vector<float> result;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % of.filled() < of.columns) result.push_back(values[i]);
    }
    return result;
  }

  static void expect_normalizes(const Normalization& of) {
    const Inputs from = inputs(of);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec = spec_of(Shape({of.batches, of.rows, of.filled()}));
      const MeshTensor source = upload(mesh, from.values, spec);
      const MeshTensor residual = upload(mesh, from.residual, spec);
      const MeshTensor gamma = upload_weights(mesh, of, from.gamma);
      const MeshTensor beta = upload_weights(mesh, of, from.beta);
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, spec);
      SpecifiedOperator normalize{.reader = reader(of),
                                  .compute = compute(of),
                                  .writer = writer(of),
                                  .buffers = buffers(of),
                                  .tensors = {{"src", &source}, {"dst", &result}},
                                  .shares = shares_of(of.batches * of.ht(), kNodes)};
      const auto add = [&](bool has, const char* define, const char* name,
                           const MeshTensor& tensor) {
        if (!has) return;
        normalize.defines.insert({define, "1"});
        normalize.tensors.emplace_back(name, &tensor);
      };
      add(of.residual, "FUSE_PRE_ADD", "src_b", residual);
      add(of.gamma, "FUSE_GAMMA", "gamma", gamma);
      add(of.beta, "FUSE_BETA", "beta", beta);
      if (of.rms) normalize.defines.insert({"RMSNORM", "1"});
      if (of.shifted()) normalize.defines.insert({"USE_WELFORD", "1"});
      launch(mesh, normalize);
      return without_filling(of, download(mesh, result));
    };
    // Rounded to the 8 bits of bfloat16 are the sum, the mean, what is above it, the variance, the
    // reciprocal of its root, and three products and sums, of numbers below 4.
    expect_computes(program, normalized(of, from),
                    {.correlation = 0.99998, .absolute = 1. / 64, .relative = 1. / 64});
  }
};

TEST_F(Normalize, LayerNorm) { expect_normalizes({2, 96, 160}); }

TEST_F(Normalize, LayerNormTimesGamma) {
  expect_normalizes({.batches = 2, .rows = 96, .columns = 160, .gamma = true});
}

TEST_F(Normalize, LayerNormTimesGammaPlusBeta) {
  expect_normalizes({.batches = 2, .rows = 70, .columns = 192, .gamma = true, .beta = true});
}

TEST_F(Normalize, LayerNormOfASumWithAResidual) {
  expect_normalizes(
      {.batches = 2, .rows = 96, .columns = 160, .gamma = true, .beta = true, .residual = true});
}

TEST_F(Normalize, LayerNormOfRowsThatEndWithinATile) {
  expect_normalizes({.batches = 3, .rows = 64, .columns = 140, .gamma = true, .beta = true});
}

TEST_F(Normalize, LayerNormWithWeightsInSticks) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 150,
                     .gamma = true,
                     .beta = true,
                     .residual = true,
                     .sticks = true});
}

TEST_F(Normalize, LayerNormOfRowsThatAreReadThreeTimes) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .gamma = true,
                     .beta = true,
                     .statistics = Statistics::kOfBlocks});
}

TEST_F(Normalize, LayerNormOfASumWithAResidualThatIsReadThreeTimes) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .beta = true,
                     .residual = true,
                     .statistics = Statistics::kOfBlocks});
}

TEST_F(Normalize, LayerNormWithShiftedStatistics) {
  expect_normalizes({.batches = 2, .rows = 96, .columns = 160, .statistics = Statistics::kShifted});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfOneTile) {
  expect_normalizes(
      {.batches = 2, .rows = 96, .columns = 20, .gamma = true, .statistics = Statistics::kShifted});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfASumWithAResidual) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 140,
                     .gamma = true,
                     .beta = true,
                     .residual = true,
                     .statistics = Statistics::kShifted});
}

TEST_F(Normalize, RmsNorm) { expect_normalizes({2, 96, 160, true}); }

TEST_F(Normalize, RmsNormTimesGammaPlusBetaOfRowsThatEndWithinATile) {
  expect_normalizes(
      {.batches = 3, .rows = 64, .columns = 140, .rms = true, .gamma = true, .beta = true});
}

TEST_F(Normalize, RmsNormOfASumWithAResidual) {
  expect_normalizes(
      {.batches = 2, .rows = 96, .columns = 160, .rms = true, .gamma = true, .residual = true});
}

TEST_F(Normalize, RmsNormOfRowsThatAreReadTwice) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .rms = true,
                     .gamma = true,
                     .residual = true,
                     .statistics = Statistics::kOfBlocks});
}

}  // namespace
}  // namespace lightmetal::testing::normalization
