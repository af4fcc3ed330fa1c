// Concatenation. Pages of the inputs, tiles or rows, follow each other in blocks: a block of the
// first input, one of the second and so on, then the next block of each. Where rows themselves are
// joined, a page of each input is part of a page of the result. A unit of work is a page.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::concat {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kNodes = 3, kElement = 2;  // bytes
constexpr char kFolder[] = "operations/data_movement/concat/device/kernels/dataflow/";

uint32_t product(Shape::Container::const_iterator first, Shape::Container::const_iterator last) {
  return std::accumulate(first, last, 1u, std::multiplies<>());
}

struct Concatenation {
  Layout layout;
  uint32_t dimension;
  std::vector<Shape> inputs;  // equal but for this dimension

  bool tiled() const { return layout == Layout::TILE; }
  bool joins_rows() const { return !tiled() && dimension + 1 == inputs[0].rank(); }

  Shape result() const {
    Shape shape = inputs[0];
    for (size_t i = 1; i < inputs.size(); ++i) shape[dimension] += inputs[i][dimension];
    return shape;
  }
  // The extents of a tensor in pages.
  Shape in_pages(Shape shape) const {
    if (tiled()) shape[-2] = (shape[-2] + 31) / 32;
    shape[-1] = tiled() ? (shape[-1] + 31) / 32 : 1;
    return shape;
  }
  std::vector<uint32_t> block_pages() const {
    std::vector<uint32_t> blocks;
    for (const Shape& input : inputs) {
      const Shape pages = in_pages(input);
      blocks.push_back(product(pages.cbegin() + dimension, pages.cend()));
    }
    return blocks;
  }
  uint32_t page_bytes(const Shape& shape) const { return tiled() ? 2048 : shape[-1] * kElement; }
};

std::vector<std::string> names_of(const Concatenation& of) {
  std::vector<std::string> names;
  for (size_t i = 0; i < of.inputs.size(); ++i) names.push_back("in" + std::to_string(i));
  return names;
}

// From where a node reads its first page, and the page of each input that it reads first.
struct Start {
  Start(const std::vector<uint32_t>& blocks, uint32_t page) {
    const uint32_t round = std::accumulate(blocks.begin(), blocks.end(), 0u);
    const uint32_t place = page % round;
    uint32_t before = 0;  // pages of a round
    for (const uint32_t block : blocks) {
      if (before <= place) {
        tensor = static_cast<uint32_t>(first_pages.size());
        page_in_block = place - before;
      }
      first_pages.push_back(page / round * block +
                            std::min(block, place - std::min(place, before)));
      before += block;
    }
  }
  uint32_t tensor = 0, page_in_block = 0;
  std::vector<uint32_t> first_pages;
};

std::vector<double> concatenated(const Concatenation& of,
                                 const std::vector<std::vector<float>>& values) {
  const Shape result = of.result();
  std::vector<double> joined;
  for (uint32_t outer = 0; outer < product(result.cbegin(), result.cbegin() + of.dimension);
       ++outer) {
    for (size_t i = 0; i < values.size(); ++i) {
      const uint32_t block = product(of.inputs[i].cbegin() + of.dimension, of.inputs[i].cend());
      const auto first = values[i].begin() + outer * block;
      joined.insert(joined.end(), first, first + block);
    }
  }
  return joined;
}

class Concat : public PackagedOperator {
 protected:
  static OperatorKernel reader(const Concatenation& of) {
    const std::vector<uint32_t> blocks = of.block_pages();
    OperatorKernel reads{
        .source = kernel(std::string(kFolder) +
                         (of.tiled() ? "reader_concat_interleaved_start_id.cpp"
                                     : "reader_concat_stick_layout_interleaved_start_id.cpp")),
        .produces = {"in"},
        .tensors = names_of(of),
        .arguments =
            [=](const Share& share) {
              const Start start(blocks, of.joins_rows() ? 0 : share.first);
              return Arguments{{of.tiled() ? "num_tiles" : "num_pages", share.count},
                               {"start_tensor", start.tensor},
                               {"start_tensor_id", start.page_in_block}};
            },
        .tensor_sequence = "inputs",
        .varargs =
            [=](const Share& share) {
              std::vector<uint32_t> words = blocks;
              const std::vector<uint32_t> first_pages =
                  of.joins_rows() ? std::vector<uint32_t>(blocks.size(), share.first)
                                  : Start(blocks, share.first).first_pages;
              words.insert(words.end(), first_pages.begin(), first_pages.end());
              return words;
            }};
    if (of.tiled()) return reads;
    for (const Shape& input : of.inputs) reads.constant_varargs.push_back(of.page_bytes(input));
    return reads;
  }

  static OperatorKernel writer(const Concatenation& of) {
    if (of.tiled()) {
      return {.source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                               "writer_unary_interleaved_start_id_metal2.cpp"),
              .consumes = {"in"},
              .tensors = {"dst"},
              .arguments =
                  [](const Share& share) {
                    return Arguments{{"num_pages", share.count}, {"start_id", share.first}};
                  },
              .renamed = {{"in", "out"}}};
    }
    return {.source = kernel("kernel/dataflow/"
                             "writer_unary_stick_layout_interleaved_start_id_metal2.cpp"),
            .consumes = {"in"},
            .tensors = {"dst"},
            .arguments =
                [=](const Share& share) {
                  return Arguments{{"stick_size", of.page_bytes(of.result())},
                                   {"num_sticks", share.count},
                                   {"start_id", share.first}};
                },
            .renamed = {{"in", "out0"}}};
  }

  static void expect_concatenates(const Concatenation& of) {
    std::vector<std::vector<float>> values;
    for (const Shape& input : of.inputs) {
      values.push_back(random_values(input.volume(), static_cast<uint32_t>(values.size())));
    }
    const auto program = [&](distributed::MeshDevice& mesh) {
      std::vector<MeshTensor> inputs;
      for (size_t i = 0; i < values.size(); ++i) {
        inputs.push_back(
            upload(mesh, values[i], spec_of(of.inputs[i], DataType::BFLOAT16, of.layout)));
      }
      const Shape pages = of.in_pages(of.result());
      const MeshTensor result =
          MeshTensor::allocate_on_device(mesh, spec_of(of.result(), DataType::BFLOAT16, of.layout));
      SpecifiedOperator concat{
          .reader = reader(of),
          .writer = writer(of),
          .buffers = {entries_in(DFBSpecName("in"), 2, of.page_bytes(of.result()))},
          .tensors = {{"dst", &result}},
          .shares = shares_of(pages.volume(), kNodes)};
      for (size_t i = 0; i < inputs.size(); ++i) {
        concat.tensors.emplace_back(names_of(of)[i], &inputs[i]);
      }
      if (of.joins_rows()) concat.defines.insert({"WIDTH_CONCAT", "1"});
      launch(mesh, concat);
      return download(mesh, result);
    };
    expect_computes(program, concatenated(of, values), kEqual);
  }
};

TEST_F(Concat, PutsTilesBesideEachOther) {
  expect_concatenates(
      {Layout::TILE, 2, {Shape({2, 96, 64}), Shape({2, 96, 32}), Shape({2, 96, 160})}});
}

TEST_F(Concat, PutsTilesBelowEachOther) {
  expect_concatenates({Layout::TILE, 1, {Shape({3, 32, 96}), Shape({3, 96, 96})}});
}

TEST_F(Concat, PutsBatchesOfTilesBehindEachOther) {
  expect_concatenates({Layout::TILE,
                       1,
                       {Shape({2, 1, 40, 50}), Shape({2, 3, 40, 50}), Shape({2, 2, 40, 50}),
                        Shape({2, 1, 40, 50})}});
}

TEST_F(Concat, JoinsRows) {
  expect_concatenates(
      {Layout::ROW_MAJOR,
       2,
       {Shape({3, 7, 32}), Shape({3, 7, 16}), Shape({3, 7, 80}), Shape({3, 7, 48})}});
}

TEST_F(Concat, PutsRowsBelowEachOther) {
  expect_concatenates(
      {Layout::ROW_MAJOR, 1, {Shape({3, 5, 50}), Shape({3, 1, 50}), Shape({3, 9, 50})}});
}

TEST_F(Concat, PutsBatchesOfRowsBehindEachOther) {
  expect_concatenates({Layout::ROW_MAJOR, 0, {Shape({3, 4, 50}), Shape({2, 4, 50})}});
}

}  // namespace
}  // namespace lightmetal::testing::concat
