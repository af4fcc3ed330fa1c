// Sum, mean and maximum over rows, over columns and over both. A unit of work is what makes one
// tile of the result: a row of tiles, a column of tiles, a batch.
#include <algorithm>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::reduce {
namespace {

using namespace tt::tt_metal;

constexpr uint32_t kReducingNodes = 4;
constexpr char kReduction[] = "operations/reduction/generic/device/kernels/";
constexpr char kWritePages[] =
    "operations/eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id_metal2.cpp";

struct Reduction {
  std::string pool;       // of ckernel::PoolType
  std::string dimension;  // of ckernel::ReduceDim
  uint32_t batches, rows, columns;
  float scaler = 1;  // of each element, in bfloat16

  uint32_t ht() const { return (rows + 31) / 32; }
  uint32_t wt() const { return (columns + 31) / 32; }
  bool over_rows() const { return dimension != "REDUCE_ROW"; }  // the result has one of them
  bool over_columns() const { return dimension != "REDUCE_COL"; }
  Shape result() const {
    return Shape({batches, over_rows() ? 1 : rows, over_columns() ? 1 : columns});
  }
  // Tiles of the result, and how many tiles of the source each is made of.
  uint32_t units() const {
    return batches * (over_rows() ? 1 : ht()) * (over_columns() ? 1 : wt());
  }
  uint32_t tiles_per_unit() const { return batches * ht() * wt() / units(); }
};

std::vector<double> reduced(const Reduction& reduction, const std::vector<float>& values) {
  const Shape shape = reduction.result();
  const bool maximum = reduction.pool == "MAX";
  std::vector<double> result(shape.volume(), maximum ? -1e30 : 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t column = i % reduction.columns, row = i / reduction.columns % reduction.rows,
                 batch = i / reduction.columns / reduction.rows;
    double& to = result[(batch * shape[1] + row % shape[1]) * shape[2] + column % shape[2]];
    to = maximum ? std::max<double>(to, values[i]) : to + values[i] * reduction.scaler;
  }
  return result;
}

class Reduce : public PackagedOperator {
 protected:
  static OperatorKernel reader(const Reduction& reduction) {
    const uint32_t per_unit = reduction.tiles_per_unit();
    return {.source = kernel(std::string(kReduction) +
                             "dataflow/reader_unary_reduce_universal_start_id.cpp"),
            .produces = {"in0", "scaler"},
            .tensors = {"src"},
            .constants = {{"tiles_per_batch", 2}},
            .arguments = [=](const Share& share) {
              return Arguments{{"num_tiles", share.count * per_unit},
                               {"start_id", share.first * per_unit},
                               {"scaler_bits", float_bits(reduction.scaler)}};
            }};
  }

  // Reads eight columns at once, each row of them in turn.
  static OperatorKernel column_reader(const Reduction& reduction) {
    const uint32_t ht = reduction.ht(), wt = reduction.wt();
    return {
        .source = kernel(std::string(kReduction) +
                         "dataflow/reader_unary_transpose_wh_universal_input_cols_partitioned.cpp"),
        .produces = {"in0", "scaler"},
        .tensors = {"src"},
        .constants = {{"Ht", ht},
                      {"Wt", wt},
                      {"HtWt", ht * wt},
                      {"use_welford", 0},
                      {"enable_fp32_sfpu", 0},
                      {"tiles_per_batch", 1},
                      {"num_h_slices", 1},
                      {"slice_Ht", ht}},
        .arguments = [=](const Share& share) {
          return Arguments{{"col_start_tile_id", share.first / wt * ht * wt + share.first % wt},
                           {"curr_col_in_batch", share.first % wt},
                           {"num_cols", share.count},
                           {"scaler_bits", float_bits(reduction.scaler)}};
        }};
  }

  static OperatorKernel compute(const Reduction& reduction) {
    return {.source = kernel(std::string(kReduction) + "compute/reduce.cpp"),
            .consumes = {"in0", "scaler"},
            .produces = {"out"},
            .constants = {{"enable_fp32_sfpu", 0}},
            .arguments = [=](const Share& share) {
              const bool row = !reduction.over_rows(), column = !reduction.over_columns();
              return Arguments{{"Ht", row ? share.count : reduction.ht()},
                               {"Wt", column ? share.count : reduction.wt()},
                               {"NC", row || column ? 1 : share.count}};
            }};
  }

  static OperatorKernel writer() {
    return {.source = kernel(kWritePages),
            .consumes = {"out"},
            .tensors = {"dst"},
            .arguments = [](const Share& share) {
              return Arguments{{"num_pages", share.count}, {"start_id", share.first}};
            }};
  }

  static void expect_reduces(const Reduction& reduction, const Tolerance& tolerance) {
    const auto values =
        random_values(reduction.batches * reduction.rows * reduction.columns, 7, -1.5, 2);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec =
          spec_of(Shape({reduction.batches, reduction.rows, reduction.columns}));
      const MeshTensor source = upload(mesh, values, spec);
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, spec_of(reduction.result()));
      launch(mesh,
             {.reader = reduction.over_columns() ? reader(reduction) : column_reader(reduction),
              .compute = compute(reduction),
              .writer = writer(),
              .buffers = {buffer_of("in0", 4), buffer_of("scaler", 1), buffer_of("out", 2)},
              .tensors = {{"src", &source}, {"dst", &result}},
              .shares = shares_of(reduction.units(), kReducingNodes),
              .defines = {{"REDUCE_OP", "ckernel::PoolType::" + reduction.pool},
                          {"REDUCE_DIM", "ckernel::ReduceDim::" + reduction.dimension},
                          {"ENABLE_FP32_DEST_ACC", "0"},
                          {"DST_SYNC_FULL", "0"}}});
      return download(mesh, result);
    };
    expect_computes(program, reduced(reduction, values), tolerance);
  }
};

// A result is rounded to the 8 bits of bfloat16, a scaler is cut to them, and a sum may have been
// rounded with each tile that was added.
constexpr Tolerance kSum{.correlation = 0.999, .absolute = 0.25, .relative = 1. / 128};
constexpr Tolerance kMean{.correlation = 0.9999, .absolute = 1. / 512, .relative = 1. / 64};

TEST_F(Reduce, SumsRows) { expect_reduces({"SUM", "REDUCE_ROW", 2, 96, 200}, kSum); }

TEST_F(Reduce, SumsColumns) { expect_reduces({"SUM", "REDUCE_COL", 2, 200, 160}, kSum); }

TEST_F(Reduce, SumsBatches) { expect_reduces({"SUM", "REDUCE_SCALAR", 5, 70, 96}, kSum); }

TEST_F(Reduce, HasTheMeansOfRows) {
  expect_reduces({"SUM", "REDUCE_ROW", 2, 96, 200, 1.F / 200}, kMean);
}

TEST_F(Reduce, HasTheMeansOfColumns) {
  expect_reduces({"SUM", "REDUCE_COL", 3, 128, 160, 1.F / 128}, kMean);
}

// The greatest element is one of them.
TEST_F(Reduce, HasTheGreatestOfRows) { expect_reduces({"MAX", "REDUCE_ROW", 2, 96, 160}, kEqual); }

TEST_F(Reduce, HasTheGreatestOfColumns) {
  expect_reduces({"MAX", "REDUCE_COL", 2, 128, 320}, kEqual);
}

TEST_F(Reduce, HasTheGreatestOfBatches) {
  expect_reduces({"MAX", "REDUCE_SCALAR", 4, 64, 96}, kEqual);
}

}  // namespace
}  // namespace lightmetal::testing::reduce
