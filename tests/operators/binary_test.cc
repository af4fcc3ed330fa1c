// Sums, differences, products and quotients of two tensors, of which either repeats its batches,
// channels, one row, one column or one element to match the other, and of a tensor and a number.
// What is repeated within a tile is spread over it by the compute kernel, or else by the reader.
// The matrix unit computes with bfloat16, the vector unit with float32.
//
// Tiles of the result are numbered through; a core has some in a row, wherever in a row of tiles
// they begin. Tensors without tiles are computed in blocks of rows, each a few pieces wide that are
// as large as a tile; there it is always the reader that spreads.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::binary {
namespace {

using namespace tt::tt_metal;

constexpr uint32_t kCores = 5;
constexpr char kFolder[] = "operations/eltwise/binary_ng/device/";
constexpr uint32_t kAlignment = 32;  // in DRAM
constexpr uint32_t kPiece = 64, kPieceRows = 1024 / kPiece;
// Left, right, result; left and right after their activations; left and right after spreading.
constexpr uint8_t kCircularBuffers = 7;

// Batches, channels, rows, columns.
using Dimensions = std::array<uint32_t, 4>;

struct Activation {
  std::string code = "";  // of tile i in DST
  std::function<double(double)> function = [](double value) { return value; };
};

struct Binary {
  std::string name;  // "add", "sub", "mul", or "div" of the vector unit
  Dimensions left, right;
  bool vector_unit = false;
  bool spread_by_reader = false;
  bool row_major = false;
  Activation of_left = {}, of_right = {}, of_result = {};
  bool relu = false;                   // while packing
  std::optional<float> constant = {};  // instead of the right tensor
  bool constant_first = false;

  Dimensions result() const {
    Dimensions both;
    for (size_t i = 0; i < 4; ++i) both[i] = std::max(left[i], right[i]);
    return both;
  }
  uint32_t element_size() const { return vector_unit ? 4 : 2; }
  bool repeats_rows(const Dimensions& operand) const { return operand[2] < result()[2]; }
  bool repeats_columns(const Dimensions& operand) const { return operand[3] < result()[3]; }
  double operator()(double a, double b) const {
    a = of_left.function(a);
    b = of_right.function(b);
    if (constant_first) std::swap(a, b);
    const double value = of_result.function(name == "add"   ? a + b
                                            : name == "sub" ? a - b
                                            : name == "mul" ? a * b
                                                            : a / b);
    return relu ? std::max(value, 0.0) : value;
  }
};

size_t volume(const Dimensions& d) { return size_t{d[0]} * d[1] * d[2] * d[3]; }
uint32_t ht(const Dimensions& d) { return (d[2] + 31) / 32; }
uint32_t wt(const Dimensions& d) { return (d[3] + 31) / 32; }
uint32_t pieces(const Dimensions& d) { return (d[3] + kPiece - 1) / kPiece; }
// Tiles, or blocks of rows.
uint32_t units(const Binary& of) {
  const Dimensions d = of.result();
  return d[0] * d[1] * (of.row_major ? (d[2] + kPieceRows - 1) / kPieceRows : ht(d) * wt(d));
}

// Where an element of the result is in an operand.
size_t place_in(const Dimensions& operand, const Dimensions& result, size_t i) {
  std::array<size_t, 4> at;
  for (size_t d = 4; d-- > 0; i /= result[d]) at[d] = operand[d] == 1 ? 0 : i % result[d];
  return ((at[0] * operand[1] + at[1]) * operand[2] + at[2]) * operand[3] + at[3];
}

std::vector<double> combined(const Binary& of, const std::vector<float>& left,
                             const std::vector<float>& right) {
  const Dimensions result = of.result();
  std::vector<double> values(volume(result));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = of(left[place_in(of.left, result, i)],
                   of.constant ? *of.constant : right[place_in(of.right, result, i)]);
  }
  return values;
}

// Which kernels repeat an operand within tiles, how many tiles of the result one of its tiles is
// held for, and how many are computed at once where none is held.
struct Repetition {
  std::string reader, compute, compute_after_reader;
  uint32_t held = 1, at_once = 1;
};

Repetition repetition(const Binary& of) {
  const bool rows = of.repeats_rows(of.left) || of.repeats_rows(of.right);
  const bool columns = of.repeats_columns(of.left) || of.repeats_columns(of.right);
  const bool one_operand = of.repeats_rows(of.left) == of.repeats_columns(of.left);
  const uint32_t width = wt(of.result()), height = ht(of.result());
  const std::string reader =
      "kernels_ng/dataflow/reader_interleaved_" + std::string(of.row_major ? "rm_" : "");
  const std::string binary = of.vector_unit ? "eltwise_binary_sfpu" : "eltwise_binary";
  const std::string spreading = "kernels_ng/compute/" + binary;
  const std::string holding = "kernels/compute/" + binary + ".cpp";
  const std::string each = "kernels/compute/" + binary + "_no_bcast.cpp";
  if (of.constant) {
    const std::string constant = "kernels/compute/" + binary + "_scalar.cpp";
    return {of.row_major ? reader + "scalar_op.cpp"
                         : "kernels/dataflow/reader_interleaved_no_bcast.cpp",
            constant, constant, 1, 2};
  }
  if (of.row_major) {
    const std::string repeated = rows && columns ? one_operand ? "scalar" : "row_col_mixed"
                                 : columns       ? "col"
                                 : rows          ? "row"
                                                 : "no";
    return {reader + repeated + "_bcast.cpp", each, each, 1, 2};
  }
  if (rows && columns && one_operand) {
    return {reader + "scalar_bcast.cpp", spreading + "_scalar_bcast.cpp", holding, width * height};
  }
  if (rows && columns) {
    return {reader + "row_col_mixed_bcast.cpp", spreading + "_row_col_bcast.cpp", holding, width};
  }
  if (columns) return {reader + "col_bcast.cpp", spreading + "_col_bcast.cpp", holding, width};
  if (rows) return {reader + "row_bcast.cpp", spreading + "_row_bcast.cpp", each};
  return {reader + "no_bcast.cpp", each, each, 1, 2};
}

class BinaryOperator : public PackagedOperator {
 protected:
  struct Tensors {
    const MeshTensor &left, &right, &out;
  };
  using Defines = KernelDescriptor::Defines;
  using Args = KernelDescriptor::RTArgList;

  static std::string path(const std::string& name) { return kernel(kFolder + name); }
  static std::string flag(bool value) { return value ? "1" : "0"; }

  // What is repeated, and who spreads it over tiles.
  static Defines repetition_defines(const Binary& of) {
    Defines defines{
        {"SRC_SHARDED", "0"},
        {"SRC_SHARDED_B", "0"},
        {"DST_SHARDED", "0"},
        {"SRC_BCAST", flag(of.repeats_rows(of.left) || of.repeats_columns(of.left))},
        {"SRC_BCAST_B", flag(of.repeats_rows(of.right) || of.repeats_columns(of.right))},
        {"SRC_BCAST_COL", flag(of.repeats_columns(of.left))},
        {"SRC_BCAST_ROW_B", flag(of.repeats_rows(of.right))},
        {"BCAST_INPUT", flag(of.repeats_columns(of.right))},
        {"BCAST_LLK", flag(!of.spread_by_reader)}};
    const std::string type = of.vector_unit ? "" : "_bfloat16";
    const std::string fill = "fill_tile_with_first_", name = "FILL_TILE_WITH_FIRST_";
    for (const std::string operand : {"", "_B"}) {
      defines.emplace_back(name + "ROW" + operand, fill + "row" + type);
      defines.emplace_back(name + "COLUMN" + operand, fill + "column" + type);
      defines.emplace_back(name + "ROW_RM" + operand, fill + "row_rm" + type);
      defines.emplace_back(name + "COLUMN_RM" + operand, fill + "column_rm" + type);
      defines.emplace_back(name + "ELEMENT" + operand,
                           fill + "element" + (of.vector_unit ? "<float>" : type));
    }
    return defines;
  }

  static void append_operation(Defines& defines, const Binary& of) {
    defines.emplace_back("PROCESS_LHS_ACTIVATIONS(i)", of.of_left.code);
    defines.emplace_back("PROCESS_RHS_ACTIVATIONS(i)", of.of_right.code);
    defines.emplace_back("PROCESS_POST_ACTIVATIONS(i)", of.of_result.code);
    defines.emplace_back("SCALAR_IS_LHS", flag(of.constant_first));
    if (of.relu) defines.emplace_back("PACK_RELU", "1");
    if (of.vector_unit) {
      defines.emplace_back("BINARY_SFPU_INIT", of.name + "_binary_tile_init();");
      defines.emplace_back("BINARY_SFPU_OP", of.name + "_binary_tile");
      for (const std::string operand : {"", "_B"}) {
        defines.emplace_back("FILL_WITH_VALUE_FLOAT" + operand, "fill_with_val<1024, float>");
      }
    } else {
      const std::string type = of.name == "add" ? "ELWADD" : of.name == "sub" ? "ELWSUB" : "ELWMUL";
      defines.emplace_back("BINARY_OP", of.name + "_tiles");
      defines.emplace_back("BINARY_OP_TYPE", "EltwiseBinaryType::" + type);
      for (const std::string operand : {"", "_B"}) {
        defines.emplace_back("FILL_WITH_VALUE" + operand, "fill_with_val_bfloat16");
      }
    }
  }

  // How far the tiles of an operand go from one batch and one channel of the result to the next.
  static void append_strides(Args& args, const Dimensions& d) {
    const uint32_t tiles = ht(d) * wt(d);
    args.append({0, 0, d[0] == 1 ? 0 : d[1] * tiles, d[1] == 1 ? 0 : tiles});
  }
  // The result, in one batch of batches of one depth.
  static void append_result(Args& args, const Dimensions& d) {
    args.append({1, d[0], d[1], ht(d), wt(d), 1});
  }

  // Batches, channels and rows; in one batch of batches of one depth.
  static void append_rows(Args& args, const Dimensions& d) {
    args.append({1, d[0], d[1], d[2], 1});
  }

  static uint32_t constant_bits(const Binary& of) {
    const float constant = of.constant.value_or(0);
    return of.vector_unit ? float_bits(constant) : bfloat16_pair(constant);
  }

  static Args row_reader_args(const Binary& of, const Tensors& tensors, const Share& share) {
    const Dimensions d = of.result();
    Args args;
    args.push_back(address_of(tensors.left));
    args.push_back(share.count);
    append_rows(args, of.left);
    args.push_back(address_of(tensors.right));
    append_rows(args, of.right);
    args.append({d[2], d[1], 1, share.first, kPieceRows, d[3]});
    args.append({of.left[3] * of.element_size(), of.right[3] * of.element_size()});
    args.append({kAlignment, kAlignment, pieces(d), kPiece * of.element_size(), constant_bits(of)});
    return args;
  }
  static Args row_writer_args(const Binary& of, const Tensors& tensors, const Share& share) {
    const Dimensions d = of.result();
    Args args;
    args.push_back(address_of(tensors.out));
    args.append({d[3], share.count});
    append_rows(args, d);
    args.append({share.first, kPieceRows, d[3] * of.element_size(), kAlignment, pieces(d),
                 kPiece * of.element_size()});
    return args;
  }

  static Args reader_args(const Binary& of, const Tensors& tensors, const Share& share) {
    Args args;
    args.push_back(address_of(tensors.left));
    args.append({share.first, 0, share.count, 0});
    append_strides(args, of.left);
    append_result(args, of.result());
    args.push_back(address_of(tensors.right));
    append_strides(args, of.right);
    args.append({0, wt(of.left), wt(of.right)});
    return args;
  }
  static Args writer_args(const Binary& of, const Tensors& tensors, const Share& share) {
    Args args;
    if (of.constant) args.push_back(constant_bits(of));
    args.push_back(address_of(tensors.out));
    args.append({share.first, share.count, 0});
    append_result(args, of.result());
    return args;
  }

  static KernelDescriptor reader(const Binary& of, const Tensors& tensors,
                                 const std::vector<Share>& shares) {
    KernelDescriptor reads{.kernel_source = path(repetition(of).reader),
                           .config = ReaderConfigDescriptor{}};
    append_accessor(reads.compile_time_args, tensors.left);
    if (!of.constant) append_accessor(reads.compile_time_args, tensors.right);
    reads.compile_time_args.push_back(0);  // not sharded
    for (const Share& share : shares) {
      reads.emplace_runtime_args(share.node, of.row_major ? row_reader_args(of, tensors, share)
                                                          : reader_args(of, tensors, share));
    }
    return reads;
  }

  static KernelDescriptor compute(const Binary& of, const std::vector<Share>& shares) {
    const Repetition how = repetition(of);
    ComputeConfigDescriptor config{.fp32_dest_acc_en = of.vector_unit};
    if (of.vector_unit) {
      config.unpack_to_dest_mode.assign(kCircularBuffers, UnpackToDestMode::UnpackToDestFp32);
    }
    KernelDescriptor computes{
        .kernel_source = path(of.spread_by_reader ? how.compute_after_reader : how.compute),
        .compile_time_args = {how.at_once},
        .config = config};
    for (const Share& share : shares) {
      const uint32_t tiles = share.count * (of.row_major ? pieces(of.result()) : 1);
      computes.emplace_runtime_args(share.node, {tiles, how.held, share.first % how.held});
    }
    return computes;
  }

  static KernelDescriptor writer(const Binary& of, const Tensors& tensors,
                                 const std::vector<Share>& shares) {
    KernelDescriptor writes{
        .kernel_source =
            path(of.row_major  ? "kernels_ng/dataflow/writer_interleaved_rm_no_bcast.cpp"
                 : of.constant ? "kernels/dataflow/writer_interleaved_scalar.cpp"
                               : "kernels_ng/dataflow/writer_interleaved_no_bcast.cpp"),
        .config = WriterConfigDescriptor{}};
    append_accessor(writes.compile_time_args, tensors.out);
    writes.compile_time_args.push_back(0);  // not sharded
    for (const Share& share : shares) {
      writes.emplace_runtime_args(share.node, of.row_major ? row_writer_args(of, tensors, share)
                                                           : writer_args(of, tensors, share));
    }
    return writes;
  }

  static ProgramDescriptor combining(const Binary& of, const Tensors& tensors) {
    const auto shares = shares_of(units(of), kCores);
    const CoreRangeSet cores(CoreRange({0, 0}, {kCores - 1, 0}));
    ProgramDescriptor program{
        .kernels = {reader(of, tensors, shares), compute(of, shares), writer(of, tensors, shares)}};
    for (KernelDescriptor& kernel : program.kernels) {
      kernel.core_ranges = cores;
      kernel.defines = repetition_defines(of);
      append_operation(kernel.defines, of);
    }
    const auto format = of.vector_unit ? tt::DataFormat::Float32 : tt::DataFormat::Float16_b;
    for (uint8_t index = 0; index < kCircularBuffers; ++index) {
      program.cbs.push_back(pages_in(index, 4, tt::tile_size(format), cores, format));
    }
    return program;
  }

  static void expect_combines(const Binary& of, const Tolerance& tolerance) {
    const auto left_values = random_values(volume(of.left), 5, -2, 3);
    const auto right_values = random_values(volume(of.right), 6, 0.5, 4);
    const auto spec = [&](const Dimensions& d) {
      return spec_of(Shape({d[0], d[1], d[2], d[3]}),
                     of.vector_unit ? DataType::FLOAT32 : DataType::BFLOAT16,
                     of.row_major ? Layout::ROW_MAJOR : Layout::TILE);
    };
    const auto program = [&](distributed::MeshDevice& mesh) {
      const MeshTensor left = upload(mesh, left_values, spec(of.left));
      const MeshTensor right = upload(mesh, right_values, spec(of.right));
      const MeshTensor out = MeshTensor::allocate_on_device(mesh, spec(of.result()));
      run_described(mesh, combining(of, {left, right, out}));
      return download(mesh, out);
    };
    expect_computes(program, combined(of, left_values, right_values), tolerance);
  }

  // A result of the matrix unit is rounded once, to the 8 bits of bfloat16; a quotient of the
  // vector unit is as good as its reciprocal.
  static void expect_combines(const Binary& of) {
    expect_combines(
        of, of.vector_unit ? Tolerance{.correlation = 1 - 1e-9, .absolute = 0, .relative = 2e-6}
                           : Tolerance{.correlation = 0.9999, .absolute = 0, .relative = 1. / 256});
  }

  // A page is at least a word.
  static void expect_combines_without_tiles(Binary of) {
    of.row_major = true;
    if (of.left[3] > 1 && of.right[3] > 1) expect_combines(of);
    of.vector_unit = true;
    expect_combines(of);
  }

  // With the compute kernel spreading what is repeated, and with the reader.
  static void expect_combines_spread_by_either(Binary of) {
    expect_combines(of);
    of.spread_by_reader = true;
    expect_combines(of);
  }
};

const Activation kExponential{"exp_tile_init(); exp_tile(i);",
                              [](double value) { return std::exp(value); }};
const Activation kLogarithm{"log_tile_init(); log_tile(i);",
                            [](double value) { return std::log(value); }};
const Activation kReciprocal{"recip_tile_init(); recip_tile(i);",
                             [](double value) { return 1 / value; }};

TEST_F(BinaryOperator, AddsTensorsOfOneShape) {
  expect_combines({"add", {2, 3, 70, 80}, {2, 3, 70, 80}});
}

TEST_F(BinaryOperator, RepeatsBatchesOfTheOneAndChannelsOfTheOther) {
  expect_combines({"sub", {1, 3, 64, 96}, {2, 1, 64, 96}});
}

TEST_F(BinaryOperator, MultipliesByARow) {
  expect_combines_spread_by_either({"mul", {2, 2, 100, 90}, {1, 2, 1, 90}});
}

TEST_F(BinaryOperator, SubtractsFromARow) {
  expect_combines_spread_by_either({"sub", {2, 1, 1, 90}, {2, 2, 100, 90}});
}

TEST_F(BinaryOperator, SubtractsAColumn) {
  expect_combines_spread_by_either({"sub", {2, 2, 100, 90}, {1, 2, 100, 1}});
}

TEST_F(BinaryOperator, SubtractsFromAColumn) {
  expect_combines_spread_by_either({"sub", {2, 1, 100, 1}, {2, 2, 100, 90}});
}

TEST_F(BinaryOperator, SubtractsAnElement) {
  expect_combines_spread_by_either({"sub", {2, 3, 40, 90}, {2, 3, 1, 1}});
}

TEST_F(BinaryOperator, SubtractsFromAnElement) {
  expect_combines_spread_by_either({"sub", {1, 3, 1, 1}, {2, 3, 40, 90}});
}

TEST_F(BinaryOperator, SubtractsAColumnFromARow) {
  expect_combines_spread_by_either({"sub", {2, 1, 1, 90}, {2, 2, 70, 1}});
}

TEST_F(BinaryOperator, SubtractsARowFromAColumn) {
  expect_combines_spread_by_either({"sub", {1, 2, 70, 1}, {2, 2, 1, 90}});
}

TEST_F(BinaryOperator, SubtractsANumber) {
  const Dimensions shape{2, 2, 70, 80};
  expect_combines({.name = "sub", .left = shape, .right = shape, .constant = 1.25F});
}

TEST_F(BinaryOperator, SubtractsFromANumber) {
  const Dimensions shape{2, 2, 70, 80};
  expect_combines(
      {.name = "sub", .left = shape, .right = shape, .constant = 1.25F, .constant_first = true});
}

TEST_F(BinaryOperator, DividesTensorsOfFloats) {
  expect_combines({"div", {2, 1, 70, 80}, {2, 3, 70, 80}, true});
}

TEST_F(BinaryOperator, DividesARowOfFloats) {
  expect_combines_spread_by_either({"div", {2, 1, 1, 90}, {2, 2, 100, 90}, true});
}

TEST_F(BinaryOperator, DividesByAColumnOfFloats) {
  expect_combines_spread_by_either({"div", {2, 2, 100, 90}, {1, 2, 100, 1}, true});
}

TEST_F(BinaryOperator, MultipliesByAnElementOfFloats) {
  expect_combines_spread_by_either({"mul", {2, 3, 40, 90}, {2, 3, 1, 1}, true});
}

TEST_F(BinaryOperator, DividesARowOfFloatsByAColumn) {
  expect_combines_spread_by_either({"div", {2, 1, 1, 90}, {2, 2, 70, 1}, true});
}

TEST_F(BinaryOperator, SubtractsARowOfFloatsFromAColumn) {
  expect_combines_spread_by_either({"sub", {1, 2, 70, 1}, {2, 2, 1, 90}, true});
}

TEST_F(BinaryOperator, SubtractsFloatsFromANumber) {
  const Dimensions shape{2, 2, 70, 80};
  expect_combines({.name = "sub",
                   .left = shape,
                   .right = shape,
                   .vector_unit = true,
                   .constant = 1.3F,
                   .constant_first = true});
}

TEST_F(BinaryOperator, AddsTensorsWithoutTiles) {
  expect_combines_without_tiles({"add", {2, 3, 40, 112}, {2, 1, 40, 112}});
}

TEST_F(BinaryOperator, SubtractsARowWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 3, 40, 112}, {2, 3, 1, 112}});
}

TEST_F(BinaryOperator, SubtractsFromARowWithoutTiles) {
  expect_combines_without_tiles({"sub", {1, 3, 1, 112}, {2, 3, 40, 112}});
}

TEST_F(BinaryOperator, SubtractsAColumnWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 3, 40, 112}, {2, 1, 40, 1}});
}

TEST_F(BinaryOperator, SubtractsFromAColumnWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 3, 40, 1}, {2, 3, 40, 112}});
}

TEST_F(BinaryOperator, SubtractsAnElementWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 3, 40, 112}, {2, 3, 1, 1}});
}

TEST_F(BinaryOperator, SubtractsAColumnFromARowWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 1, 1, 112}, {2, 3, 40, 1}});
}

TEST_F(BinaryOperator, SubtractsARowFromAColumnWithoutTiles) {
  expect_combines_without_tiles({"sub", {2, 3, 40, 1}, {1, 3, 1, 112}});
}

TEST_F(BinaryOperator, SubtractsFromANumberWithoutTiles) {
  const Dimensions shape{2, 3, 40, 112};
  expect_combines_without_tiles(
      {.name = "sub", .left = shape, .right = shape, .constant = 1.25F, .constant_first = true});
}

TEST_F(BinaryOperator, RectifiesWhilePacking) {
  expect_combines({.name = "sub", .left = {2, 2, 70, 80}, .right = {2, 2, 1, 80}, .relu = true});
}

// The reciprocals are rounded, too.
TEST_F(BinaryOperator, DividesByAColumn) {
  expect_combines(
      {.name = "mul", .left = {2, 2, 70, 80}, .right = {2, 2, 70, 1}, .of_right = kReciprocal},
      {.correlation = 0.9999, .absolute = 0, .relative = 1. / 127});
}

// The logarithm has what both exponentials were rounded by as its error.
TEST_F(BinaryOperator, AddsExponentialsUnderALogarithm) {
  expect_combines({.name = "add",
                   .left = {2, 3, 70, 80},
                   .right = {2, 3, 70, 80},
                   .of_left = kExponential,
                   .of_right = kExponential,
                   .of_result = kLogarithm},
                  {.correlation = 0.9999, .absolute = 1. / 250, .relative = 1. / 256});
}

}  // namespace
}  // namespace lightmetal::testing::binary
