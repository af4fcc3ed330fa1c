// Softmax of rows: plainly, less the greatest of the row first, and of what was scaled and masked.
// A unit of work is a row of tiles. Rows that end within a tile are masked by the writer.
#include <cmath>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::softmax {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kSoftmaxNodes = 3, kSoftmaxBlock = 2;
constexpr char kSoftmax[] = "operations/normalization/softmax/device/kernels/attention/";

struct Attention {
  uint32_t batches, rows, columns;
  bool stable = false;
  float scale = 0;  // with a mask, which each batch has for all of its rows

  bool masked() const { return scale != 0; }
  uint32_t ht() const { return rows / 32; }
  uint32_t wt() const { return (columns + 31) / 32; }
  uint32_t padding() const { return wt() * 32 - columns; }
  // A row in whole blocks.
  uint32_t row_tiles() const { return (wt() + kSoftmaxBlock - 1) / kSoftmaxBlock * kSoftmaxBlock; }
  // The greatest of a row that goes on as it came has to be found before anything is taken away.
  uint32_t in_tiles() const {
    return stable && !masked() && padding() == 0 ? row_tiles() : 2 * kSoftmaxBlock;
  }
};

std::vector<double> softmax(const Attention& of, const std::vector<float>& values,
                            const std::vector<float>& mask) {
  std::vector<double> result(values.size());
  for (size_t row = 0; row < of.batches * of.rows; ++row) {
    double sum = 0;
    for (size_t column = 0; column < of.columns; ++column) {
      const size_t i = row * of.columns + column;
      const double value = of.masked()
                               ? values[i] * of.scale + mask[row / of.rows * of.columns + column]
                               : values[i];
      sum += result[i] = std::exp(value);
    }
    for (size_t column = 0; column < of.columns; ++column) result[row * of.columns + column] /= sum;
  }
  return result;
}

class Softmax : public PackagedOperator {
 protected:
  static OperatorKernel reader(const Attention& of) {
    OperatorKernel reads{
        .source = kernel(std::string(kSoftmax) + "dataflow/reader_unary_interleaved_sm.cpp"),
        .produces = {"in0", "max_scaler", "sum_scaler"},
        .tensors = {"src"},
        .constants = {{"in0_t", of.in_tiles()}},
        .arguments = [=](const Share& share) {
          return Arguments{{"blk", kSoftmaxBlock},
                           {"num_rows", share.count},
                           {"tile_offset", share.first * of.wt()},
                           {"Wt", of.wt()},
                           {"Ht", of.ht()},
                           {"start_ht", share.first % of.ht()},
                           {"start_mask_id", share.first / of.ht() * of.wt()},
                           {"pre_scale", bfloat16_pair(of.scale)}};
        }};
    if (of.masked()) {
      reads.produces.insert(reads.produces.end(), {"fused_scale", "fused_attn"});
      reads.tensors.emplace_back("mask");
    }
    return reads;
  }

  static OperatorKernel compute(const Attention& of) {
    OperatorKernel computes{
        .source = kernel(std::string(kSoftmax) + "compute/softmax.cpp"),
        .consumes = {"in0", "max_scaler", "sum_scaler", "mask_padded", "exps", "recip_sum_exps"},
        .produces = {"out0", "exps", "recip_sum_exps"},
        .constants = {{"in0_t", of.in_tiles()}},
        .arguments = [=](const Share& share) {
          return Arguments{{"num_rows", share.count},
                           {"Ht", of.ht()},
                           {"Wt", of.wt()},
                           {"blk", kSoftmaxBlock},
                           {"start_ht", share.first % of.ht()}};
        }};
    for (const std::string own : {"x", "max", "scale_mask"}) {
      computes.consumes.push_back(own);
      computes.produces.push_back(own);
    }
    if (of.masked()) {
      computes.consumes.insert(computes.consumes.end(), {"fused_scale", "fused_attn"});
    }
    return computes;
  }

  static OperatorKernel writer(const Attention& of) {
    return {.source = kernel(std::string(kSoftmax) +
                             "dataflow/writer_unary_interleaved_start_id_blocked_sm.cpp"),
            .consumes = {"out0"},
            .produces = {"mask_padded"},
            .tensors = {"dst"},
            .constants = {{"num_datum_padded", of.padding()}, {"tile_hw", 32 * 32}},
            .arguments = [=](const Share& share) {
              return Arguments{{"num_tiles", share.count * of.wt()},
                               {"tile_offset", share.first * of.wt()},
                               {"blk", kSoftmaxBlock},
                               {"Wt", of.wt()},
                               {"mask_padded_data", of.padding() != 0}};
            }};
  }

  static Group<DataflowBufferSpec> buffers(const Attention& of) {
    Group<DataflowBufferSpec> buffers{buffer_of("in0", of.in_tiles()),
                                      buffer_of("max_scaler", 1),
                                      buffer_of("sum_scaler", 1),
                                      buffer_of("exps", of.row_tiles()),
                                      buffer_of("recip_sum_exps", 1),
                                      buffer_of("x", of.row_tiles()),
                                      buffer_of("max", 1),
                                      buffer_of("scale_mask", of.row_tiles() + kSoftmaxBlock),
                                      buffer_of("mask_padded", 1),
                                      buffer_of("out0", 2 * kSoftmaxBlock)};
    if (of.masked()) {
      buffers.push_back(buffer_of("fused_scale", 1));
      buffers.push_back(buffer_of("fused_attn", of.row_tiles()));
    }
    return buffers;
  }

  static void expect_softmax(const Attention& of) {
    const auto values = random_values(of.batches * of.rows * of.columns, 3, -4, 4);
    const auto mask_values = random_values(of.batches * of.columns, 4, -2, 2);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec = spec_of(Shape({of.batches, of.rows, of.columns}));
      const MeshTensor source = upload(mesh, values, spec);
      const MeshTensor mask =
          upload(mesh, mask_values, spec_of(Shape({of.batches, 1, of.columns})));
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, spec);
      SpecifiedOperator softmax{.reader = reader(of),
                                .compute = compute(of),
                                .writer = writer(of),
                                .buffers = buffers(of),
                                .tensors = {{"src", &source}, {"dst", &result}},
                                .shares = shares_of(of.batches * of.ht(), kSoftmaxNodes),
                                .defines = {{"EXP_APPROX", "0"}}};
      if (of.masked()) {
        softmax.tensors.emplace_back("mask", &mask);
        softmax.defines.insert({"FUSED_SCALE_MASK", "1"});
      }
      if (of.stable) softmax.defines.insert({"NUMERIC_STABLE", "1"});
      if (of.padding() != 0) softmax.defines.insert({"MASK_PADDED_DATA", "1"});
      launch(mesh, softmax);
      return download(mesh, result);
    };
    // Six roundings to the 8 bits of bfloat16: scaled, masked, the exponential (of which an error
    // of its argument is a relative one: 2^-7 of 8), the sum, its reciprocal, the product.
    expect_computes(program, softmax(of, values, mask_values),
                    {.correlation = 0.9995, .absolute = 1. / 4096, .relative = 0.05});
  }
};

TEST_F(Softmax, DividesExponentialsByTheirSum) { expect_softmax({2, 96, 128}); }

TEST_F(Softmax, PassesRowsThatFillNoWholeBlocks) { expect_softmax({2, 64, 160}); }

TEST_F(Softmax, LeavesPaddingOut) { expect_softmax({2, 64, 144}); }

TEST_F(Softmax, TakesAwayTheGreatest) { expect_softmax({2, 64, 160, true}); }

TEST_F(Softmax, TakesAwayTheGreatestButOfPadding) { expect_softmax({2, 64, 144, true}); }

TEST_F(Softmax, ScalesAndMasks) { expect_softmax({2, 128, 160, false, 0.375}); }

TEST_F(Softmax, ScalesAndMasksAndTakesAwayTheGreatestButOfPadding) {
  expect_softmax({3, 64, 208, true, 0.375});
}

}  // namespace
}  // namespace lightmetal::testing::softmax
