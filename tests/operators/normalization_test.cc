// Layer norm and RMS norm of rows: of what comes in or of its sum with a residual, times gamma and
// plus beta. A unit of work is a row of tiles. What fills the last tile of a row up are numbers,
// too, which must not count.
#include <algorithm>
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
  kOfRows,           // of a row in L1
  kOfBlocks,         // of a row that is read once for each of mean, variance and result
  kShifted,          // of a row in L1, less a first guess of the mean: "Welford"
  kShiftedOfBlocks,  // of a row that is read twice, block by block; those are put together
};

struct Normalization {
  uint32_t batches, rows, columns;
  bool rms = false;  // else the mean is taken away first
  bool gamma = false, beta = false;
  bool residual = false;  // is added to what comes in
  Statistics statistics = Statistics::kOfRows;
  bool floats = false;     // of 32 bits throughout
  bool sticks = false;     // gamma and beta lie in rows of 32 elements, not in tiles
  bool row_major = false;  // what comes in and the result, of one batch, have no tiles
  bool relu = false;       // of the result

  uint32_t ht() const { return (rows + 31) / 32; }
  uint32_t wt() const { return (columns + 31) / 32; }
  uint32_t filled() const { return wt() * 32; }
  // A row in whole blocks.
  uint32_t row_tiles() const { return (wt() + kBlock - 1) / kBlock * kBlock; }
  bool streams() const {
    return statistics == Statistics::kOfBlocks || statistics == Statistics::kShiftedOfBlocks;
  }
  bool shifted() const {
    return statistics == Statistics::kShifted || statistics == Statistics::kShiftedOfBlocks;
  }
  DataType type() const { return floats ? DataType::FLOAT32 : DataType::BFLOAT16; }
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
      if (of.relu) result[row * of.columns + i] = std::max(result[row * of.columns + i], 0.0);
    }
  }
  return result;
}

class Normalize : public PackagedOperator {
 protected:
  using Names = std::vector<std::string>;

  static std::string path(const std::string& name) { return kernel(kFolder + name + ".cpp"); }

  // Second names of buffers, with pointers of their own, by which floats get into DST with all of
  // their bits; each with the buffer's first name.
  using Aliases = std::vector<std::pair<std::string, std::string>>;
  static Aliases aliases(const Normalization& of) {
    if (!of.floats || !of.shifted()) return {};
    Aliases aliases{{"ex_welford", "ex"}, {"ex2pe_fp32", "ex2pe"}};
    if (of.residual) {
      aliases.insert(aliases.end(), {{"in_fp32", "in"}, {"inb_fp32", "inb"}});
    } else {
      aliases.emplace_back("x_welford", "in");
    }
    if (of.streams()) {
      aliases.emplace_back("ex2_welford", "ex2");
      of.residual ? aliases.emplace_back("pre_add_fp32", "x")
                  : aliases.emplace_back("in_fp32", "in");
    } else if (of.residual) {
      aliases.emplace_back("x_welford", "x");
    }
    return aliases;
  }
  static Names with_aliases(Names names, const Normalization& of) {
    const Names first = names;
    for (const auto& [alias, name] : aliases(of)) {
      if (std::ranges::find(first, name) != first.end()) names.push_back(alias);
    }
    return names;
  }

  // The buffers that the reader fills, those that the compute kernel has for itself.
  static Names read(const Normalization& of) {
    Names names{"eps", of.row_major ? "in_rm" : "in"};
    if (!of.shifted()) names.push_back("scaler");
    if (of.residual) names.push_back("inb");
    if (of.gamma) names.push_back("gamma");
    if (of.beta) names.push_back("beta");
    return with_aliases(names, of);
  }
  static Names own(const Normalization& of) {
    Names names{"ex2", "ex2pe"};
    if (!of.rms) names.push_back("ex");
    if (!of.shifted()) names.push_back("xmm2");
    const bool centred = !of.rms && !(of.shifted() && of.floats);
    if (centred || of.streams() || (of.rms && of.residual)) names.push_back("xmm");
    if (!of.rms && of.residual) names.push_back("x");
    if ((of.gamma || of.beta) && of.statistics != Statistics::kShiftedOfBlocks) {
      names.push_back("fusion");
    }
    if (of.statistics == Statistics::kOfBlocks) names.push_back("accumulate");
    if (of.statistics == Statistics::kShiftedOfBlocks) names.push_back("reciprocals");
    if (of.row_major) names.insert(names.end(), {"in", "out"});
    return with_aliases(names, of);
  }
  static std::string result(const Normalization& of) { return of.row_major ? "out_rm" : "out"; }

  static uint32_t tiles_of(const std::string& buffer, const Normalization& of) {
    for (const char* name : {"eps", "ex", "ex2", "ex2pe", "accumulate"}) {
      if (buffer == name) return 1;
    }
    if (buffer == "scaler") return of.columns % 32 == 0 ? 1 : 2;
    for (const char* name : {"in_rm", "inb", "fusion", "out_rm"}) {
      if (buffer == name) return 2 * kBlock;
    }
    if (buffer == "out" && of.row_major) return of.row_tiles();
    const bool passes = of.streams() || buffer == "out" || (buffer == "in" && of.residual);
    return passes ? 2 * kBlock : of.row_tiles();
  }
  static DataflowBufferSpec buffer(const std::string& name, const Normalization& of) {
    if (name == "reciprocals") {
      return {.unique_id = DFBSpecName(name),
              .entry_size = of.columns * 4,
              .num_entries = 1,
              .data_format_metadata = tt::DataFormat::Float32,
              .borrowed_from = TensorParamName(name)};
    }
    Names others;
    std::string first = name;
    for (const auto& [alias, of_name] : aliases(of)) first = alias == name ? of_name : first;
    for (const auto& [alias, of_name] : aliases(of)) {
      if (of_name == first) others.push_back(alias);
    }
    if (!others.empty()) others.push_back(first);
    const bool floats = of.floats && name != "eps" && name != "scaler";
    DataflowBufferSpec spec = buffer_of(
        name, tiles_of(first, of), floats ? tt::DataFormat::Float32 : tt::DataFormat::Float16_b);
    for (const auto& other : others) {
      if (other != name) spec.advanced_options.alias_with.push_back(DFBSpecName(other));
    }
    return spec;
  }
  static Group<DataflowBufferSpec> buffers(const Normalization& of) {
    Group<DataflowBufferSpec> buffers{buffer(result(of), of)};
    for (const Names& names : {read(of), own(of)}) {
      for (const auto& name : names) buffers.push_back(buffer(name, of));
    }
    return buffers;
  }

  static OperatorKernel reader(const Normalization& of) {
    const std::string variant = of.statistics == Statistics::kOfBlocks ? "_large_tensor"
                                : of.streams()                         ? "_large_tensor_welford"
                                : of.sticks                            ? "_rm_gb"
                                                                       : "";
    const bool from_tile = of.sticks || of.statistics == Statistics::kShiftedOfBlocks;
    OperatorKernel reads{
        .source = path("dataflow/reader_unary_interleaved_ln" + variant),
        .produces = read(of),
        .tensors = {"src"},
        .constants = {{"block_size", kBlock}, {"W", of.columns}, {"elem_size_bytes", 2}},
        .arguments = [=](const Share& share) {
          return Arguments{{"NCHt", share.count},
                           {"Wt", of.wt()},
                           {"reader_start", share.first * (from_tile ? of.wt() : 1)},
                           {"eps", float_bits(kEpsilon)},
                           {"H_logical", of.rows}};
        }};
    if (of.residual) reads.tensors.emplace_back("src_b");
    if (of.gamma) reads.tensors.emplace_back("gamma");
    if (of.beta) reads.tensors.emplace_back("beta");
    return reads;
  }

  static OperatorKernel compute(const Normalization& of) {
    const std::string variant = of.streams() ? "layernorm_large_tensor" : "layernorm";
    OperatorKernel computes{
        .source = path("compute/" + variant + (of.shifted() ? "_welford" : "")),
        .consumes = read(of),
        .produces = own(of),
        .constants = {{"Wt", of.wt()},
                      {"W", of.columns},
                      {"tile_width", 32},
                      {"block_size", kBlock},
                      {"do_gamma", of.gamma},
                      {"do_beta", of.beta},
                      {"fp32_dest_acc_en", of.floats},
                      {"float32_reduction", of.floats},
                      {"fuse_pre_add", of.residual},
                      {"reciprocal_w", float_bits(1.F / static_cast<float>(of.columns))}},
        .arguments = [](const Share& share) {
          return Arguments{{"NCHt", share.count}};
        }};
    computes.consumes.insert(computes.consumes.end(), computes.produces.begin(),
                             computes.produces.end());
    computes.produces.push_back(result(of));
    return computes;
  }

  static ComputeHardwareConfig config(const Normalization& of) {
    ComputeHardwareConfig config{.enable_32_bit_dest = of.floats};
    if (!of.floats) return config;
    for (const auto& buffer : compute(of).consumes) {
      if (buffer == "eps" || buffer == "scaler") continue;
      config.unpack_modes.insert({DFBSpecName(buffer), UnpackMode::UnpackToSrc});
    }
    for (const auto& [alias, name] : aliases(of)) {
      config.unpack_modes[DFBSpecName(alias)] = UnpackMode::UnpackToDest;
    }
    return config;
  }

  static OperatorKernel writer(const Normalization& of) {
    const std::string variant = of.row_major ? "_rm_output" : "";
    return {.source = path("dataflow/writer_unary_interleaved_start_id_blocked" + variant),
            .consumes = {result(of)},
            .tensors = {"dst"},
            .constants = {{"block_size", kBlock}, {"elem_size_bytes", 2}},
            .arguments = [=](const Share& share) {
              return Arguments{{"Wt", of.wt()},
                               {"num_tile_rows", share.count},
                               {"writer_start", share.first * (of.row_major ? 1 : of.wt())},
                               {"H_logical", of.rows}};
            }};
  }

  static KernelSpec::CompilerOptions::Defines defines(const Normalization& of) {
    KernelSpec::CompilerOptions::Defines defines;
    const auto define = [&](bool is, const char* name) {
      if (is) defines.insert({name, "1"});
    };
    define(of.rms, "RMSNORM");
    define(of.residual, "FUSE_PRE_ADD");
    define(of.gamma, "FUSE_GAMMA");
    define(of.beta, "FUSE_BETA");
    define(of.shifted(), "USE_WELFORD");
    define(of.row_major, "TILIZE_IN");
    define(of.row_major, "UNTILIZE_OUT");
    const bool whole = of.shifted() && of.floats;
    define(whole && !(of.streams() && of.residual), "WELFORD_FP32_ALIAS");
    define(whole && !of.streams(), "COMPACT_FP32_FINALIZER");
    define(whole && !of.streams() && of.residual, "COMPACT_FP32_PRE_ADD");
    define(whole && of.streams(), "FP32_SFPU_FINALIZER");
    define(whole && of.streams(), "WELFORD_STATE_FP32_ALIAS");
    if (of.relu) {
      define(true, "SFPU_OP_RELU_FAMILY_INCLUDE");
      defines.insert({"SFPU_OP_INIT_ACTIVATION", "relu_tile_init();"});
      defines.insert({"SFPU_OP_FUNC_ACTIVATION", "relu_tile(i);"});
    }
    return defines;
  }

  static MeshTensor upload_weights(distributed::MeshDevice& mesh, const Normalization& of,
                                   const std::vector<float>& values) {
    return upload(mesh, values,
                  of.sticks ? spec_of(Shape({of.wt(), 32}), of.type(), Layout::ROW_MAJOR)
                            : spec_of(Shape({1, of.filled()}), of.type()));
  }

  // Of every number of elements, on each node.
  static MeshTensor upload_reciprocals(distributed::MeshDevice& mesh, const Normalization& of) {
    std::vector<float> values(kNodes * of.columns);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = 1.F / static_cast<float>(i % of.columns + 1);
    }
    const MemoryConfig on_each_node(
        TensorMemoryLayout::HEIGHT_SHARDED, BufferType::L1,
        ShardSpec(CoreRangeSet(CoreRange({0, 0}, {kNodes - 1, 0})), {1, of.columns}));
    return upload(mesh, values,
                  TensorSpec(Shape({kNodes, of.columns}),
                             TensorLayout(DataType::FLOAT32, Layout::ROW_MAJOR, on_each_node)));
  }

  static std::vector<float> without_filling(const Normalization& of,
                                            const std::vector<float>& values) {
    std::vector<float> result;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i % of.filled() < of.columns) result.push_back(values[i]);
    }
    return result;
  }

  // Rounded to the 8 bits of bfloat16 are the sum, the mean, what is above it, the variance, the
  // reciprocal of its root, and three products and sums, of numbers below 4.
  static Tolerance tolerance(const Normalization& of) {
    return of.floats ? Tolerance{.correlation = 1 - 1e-9, .absolute = 4e-6, .relative = 4e-6}
                     : Tolerance{.correlation = 0.99998, .absolute = 1. / 64, .relative = 1. / 64};
  }

  static void expect_normalizes(const Normalization& of) {
    const Inputs from = inputs(of);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const Shape shape({of.batches, of.rows, of.filled()});
      const TensorSpec tiled = spec_of(shape, of.type());
      const TensorSpec spec = of.row_major ? spec_of(shape, of.type(), Layout::ROW_MAJOR) : tiled;
      const MeshTensor source = upload(mesh, from.values, spec);
      const MeshTensor residual = upload(mesh, from.residual, tiled);
      const MeshTensor gamma = upload_weights(mesh, of, from.gamma);
      const MeshTensor beta = upload_weights(mesh, of, from.beta);
      const MeshTensor reciprocals = upload_reciprocals(mesh, of);
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, spec);
      SpecifiedOperator normalize{.reader = reader(of),
                                  .compute = compute(of),
                                  .writer = writer(of),
                                  .buffers = buffers(of),
                                  .tensors = {{"src", &source}, {"dst", &result}},
                                  .shares = shares_of(of.batches * of.ht(), kNodes),
                                  .defines = defines(of),
                                  .config = config(of)};
      if (of.residual) normalize.tensors.emplace_back("src_b", &residual);
      if (of.gamma) normalize.tensors.emplace_back("gamma", &gamma);
      if (of.beta) normalize.tensors.emplace_back("beta", &beta);
      if (of.statistics == Statistics::kShiftedOfBlocks) {
        normalize.tensors.emplace_back("reciprocals", &reciprocals);
      }
      launch(mesh, normalize);
      return without_filling(of, download(mesh, result));
    };
    expect_computes(program, normalized(of, from), tolerance(of));
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

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfRowsThatAreReadTwice) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .gamma = true,
                     .beta = true,
                     .statistics = Statistics::kShiftedOfBlocks});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfASumThatIsReadTwice) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 160,
                     .residual = true,
                     .statistics = Statistics::kShiftedOfBlocks});
}

TEST_F(Normalize, LayerNormOfFloats) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 140,
                     .gamma = true,
                     .beta = true,
                     .residual = true,
                     .floats = true});
}

TEST_F(Normalize, LayerNormOfFloatsThatAreReadThreeTimes) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 140,
                     .gamma = true,
                     .statistics = Statistics::kOfBlocks,
                     .floats = true});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfFloats) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 140,
                     .gamma = true,
                     .beta = true,
                     .statistics = Statistics::kShifted,
                     .floats = true});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfASumOfFloats) {
  expect_normalizes({.batches = 2,
                     .rows = 96,
                     .columns = 140,
                     .gamma = true,
                     .residual = true,
                     .statistics = Statistics::kShifted,
                     .floats = true,
                     .sticks = true});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfFloatsThatAreReadTwice) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .beta = true,
                     .statistics = Statistics::kShiftedOfBlocks,
                     .floats = true});
}

TEST_F(Normalize, LayerNormWithShiftedStatisticsOfASumOfFloatsThatIsReadTwice) {
  expect_normalizes({.batches = 2,
                     .rows = 64,
                     .columns = 172,
                     .gamma = true,
                     .beta = true,
                     .residual = true,
                     .statistics = Statistics::kShiftedOfBlocks,
                     .floats = true});
}

TEST_F(Normalize, LayerNormWithoutTiles) {
  expect_normalizes(
      {.batches = 1, .rows = 170, .columns = 160, .gamma = true, .beta = true, .row_major = true});
}

TEST_F(Normalize, LayerNormWithoutTilesOfRowsThatAreReadThreeTimes) {
  expect_normalizes({.batches = 1,
                     .rows = 170,
                     .columns = 160,
                     .residual = true,
                     .statistics = Statistics::kOfBlocks,
                     .row_major = true});
}

TEST_F(Normalize, RmsNormOfFloats) {
  expect_normalizes(
      {.batches = 2, .rows = 96, .columns = 140, .rms = true, .gamma = true, .floats = true});
}

TEST_F(Normalize, RmsNormWithoutTiles) {
  expect_normalizes(
      {.batches = 1, .rows = 170, .columns = 160, .rms = true, .gamma = true, .row_major = true});
}

TEST_F(Normalize, RmsNormUnderAnActivation) {
  expect_normalizes(
      {.batches = 2, .rows = 64, .columns = 160, .rms = true, .gamma = true, .relu = true});
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
