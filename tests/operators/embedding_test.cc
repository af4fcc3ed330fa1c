// Embedding: for each of a tensor of indices, a row of the weights. The result is rows as they are,
// of which a unit of work is one; or tiles, of which a unit of work is a row.
#include <random>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::embedding {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kVocabulary = 90, kPadding = 7;
constexpr char kFolder[] = "operations/embedding/device/kernels/";

// Rows of the weights that a node keeps: none, that of the padding, or the first two, of which each
// index is one.
enum class Kept { kNone, kPadding, kBoth };

struct Embedding {
  uint32_t batches, length, width;  // indices of a batch, elements of a row of the weights
  uint32_t chunk;                   // what of a row is moved at a time: elements, or tiles
  Kept kept = Kept::kNone;
  DataType index_type = DataType::UINT32;

  uint32_t index_bytes() const { return index_type == DataType::UINT32 ? 4 : 2; }
  uint32_t row_bytes() const { return width * 2; }
  uint32_t count() const { return batches * length; }
  uint32_t kept_bytes() const { return (kept == Kept::kBoth ? 2 : 1) * row_bytes(); }
  KernelSpec::CompilerOptions::Defines defines() const {
    KernelSpec::CompilerOptions::Defines defines{
        {index_type == DataType::UINT32 ? "UINT32" : "BFP16", "1"}};
    if (kept == Kept::kPadding) defines.insert({"PADDED", "1"});
    if (kept == Kept::kBoth) defines.insert({"BINARY", "1"});
    return defines;
  }
};

std::vector<uint32_t> random_indices(const Embedding& of) {
  std::mt19937 generator(5);
  std::vector<uint32_t> indices(of.count());
  for (uint32_t& index : indices) {
    index = generator() % (of.kept == Kept::kBoth ? 2 : kVocabulary);
    if (of.kept == Kept::kPadding && generator() % 3 == 0) index = kPadding;
  }
  return indices;
}

class EmbeddingOperator : public PackagedOperator {
 protected:
  static OperatorKernel reader(const Embedding& of, const std::string& name, uint32_t block) {
    OperatorKernel reads{.source = kernel(std::string(kFolder) + "dataflow/" + name),
                         .produces = {"in0"},
                         .tensors = {"input", "weights"},
                         .scratchpads = {"in1"},
                         .constants = {{"input_page_size", of.length * of.index_bytes()},
                                       {"input_block_size_bytes", block * of.index_bytes()}}};
    if (of.kept != Kept::kNone) reads.scratchpads.emplace_back("local_cache");
    return reads;
  }
  static void add_padding(const Embedding& of, Arguments& arguments) {
    if (of.kept == Kept::kPadding) arguments.insert({"pad_token", kPadding});
  }

  // Indices are read in blocks, the last of a batch in part.
  static OperatorKernel row_reader(const Embedding& of, uint32_t block) {
    OperatorKernel reads = reader(of, "embeddings.cpp", block);
    reads.constants.insert({"weight_stick_size", of.row_bytes()});
    reads.constants.insert({"rows_per_block", block});
    add_chunks(of, reads.constants);
    reads.arguments = [=](const Share& share) {
      const uint32_t place = share.first % of.length;
      Arguments arguments{{"batch_offset", share.first / of.length},
                          {"weights_offset", place / block * block * of.index_bytes()},
                          {"index_idx", place % block},
                          {"num_rows", share.count}};
      add_padding(of, arguments);
      return arguments;
    };
    return reads;
  }
  static OperatorKernel row_writer(const Embedding& of) {
    OperatorKernel writes{
        .source = kernel(std::string(kFolder) + "dataflow/embeddings_rm_writer_chunked.cpp"),
        .consumes = {"in0"},
        .tensors = {"dst"},
        .arguments =
            [](const Share& share) {
              return Arguments{{"num_sticks", share.count}, {"start_id", share.first}};
            },
        .renamed = {{"in0", "out0"}}};
    add_chunks(of, writes.constants);
    return writes;
  }
  static void add_chunks(const Embedding& of, Arguments& constants) {
    const uint32_t chunks = (of.width + of.chunk - 1) / of.chunk;
    constants.insert({"chunk_size", of.chunk * 2});
    constants.insert({"num_chunks", chunks});
    constants.insert({"last_chunk_size", (of.width - (chunks - 1) * of.chunk) * 2});
  }

  static OperatorKernel tile_reader(const Embedding& of) {
    OperatorKernel reads = reader(of, "embeddings_tilize.cpp", 32);
    reads.constants.insert({"weight_block_size", of.row_bytes()});
    add_tile_chunks(of, reads.constants);
    reads.arguments = [=](const Share& share) {
      Arguments arguments{{"input_start_id", share.first * 32 / of.length},
                          {"input_start_offset", share.first * 32 % of.length * of.index_bytes()},
                          {"weight_offset", 0},
                          {"num_blocks", share.count}};
      add_padding(of, arguments);
      return arguments;
    };
    return reads;
  }
  static OperatorKernel tilizer(const Embedding& of, uint32_t nodes) {
    OperatorKernel tilizes{.source = kernel(std::string(kFolder) + "compute/tilize_chunked.cpp"),
                           .consumes = {"in0"},
                           .produces = {"out"},
                           .constants = {{"per_core_block_cnt", of.count() / 32 / nodes}},
                           .renamed = {{"in0", "in"}}};
    add_tile_chunks(of, tilizes.constants);
    return tilizes;
  }
  static OperatorKernel tile_writer(const Embedding& of) {
    return {
        .source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                         "writer_unary_interleaved_start_id_metal2.cpp"),
        .consumes = {"out"},
        .tensors = {"dst"},
        .arguments = [tiles = of.width / 32](const Share& share) {
          return Arguments{{"num_pages", share.count * tiles}, {"start_id", share.first * tiles}};
        }};
  }
  static void add_tile_chunks(const Embedding& of, Arguments& constants) {
    const uint32_t tiles = of.width / 32, chunks = (tiles + of.chunk - 1) / of.chunk;
    constants.insert({"tiles_per_chunk", of.chunk});
    constants.insert({"num_chunks", chunks});
    constants.insert({"last_chunk_tiles", tiles - (chunks - 1) * of.chunk});
  }

  static Group<ScratchpadSpec> scratchpads(const Embedding& of, uint32_t block) {
    Group<ScratchpadSpec> scratchpads{
        {.unique_id = ScratchpadSpecName("in1"), .size_per_node = block * of.index_bytes()}};
    if (of.kept != Kept::kNone) {
      scratchpads.push_back(
          {.unique_id = ScratchpadSpecName("local_cache"), .size_per_node = of.kept_bytes()});
    }
    return scratchpads;
  }

  static MeshTensor upload_indices(distributed::MeshDevice& mesh, const Embedding& of,
                                   const std::vector<uint32_t>& indices) {
    const TensorSpec spec =
        spec_of(Shape({of.batches, of.length}), of.index_type, Layout::ROW_MAJOR);
    if (of.index_type == DataType::UINT32) return upload(mesh, indices, spec);
    return upload(mesh, std::vector<float>(indices.begin(), indices.end()), spec);
  }

  // `specified` lacks its tensors.
  static void expect_embeds(const Embedding& of, Layout layout,
                            const SpecifiedOperator& specified) {
    const auto weights = random_values(kVocabulary * of.width, 6);
    const std::vector<uint32_t> indices = random_indices(of);
    std::vector<double> expected;
    for (const uint32_t index : indices) {
      const auto row = weights.begin() + index * of.width;
      expected.insert(expected.end(), row, row + of.width);
    }
    const auto program = [&](distributed::MeshDevice& mesh) {
      const MeshTensor input = upload_indices(mesh, of, indices);
      const MeshTensor rows =
          upload(mesh, weights,
                 spec_of(Shape({kVocabulary, of.width}), DataType::BFLOAT16, Layout::ROW_MAJOR));
      const MeshTensor result = MeshTensor::allocate_on_device(
          mesh, spec_of(Shape({of.batches, of.length, of.width}), DataType::BFLOAT16, layout));
      SpecifiedOperator embedding = specified;
      embedding.tensors = {{"input", &input}, {"weights", &rows}, {"dst", &result}};
      launch(mesh, embedding);
      return download(mesh, result);
    };
    expect_computes(program, expected, kEqual);
  }

  static void expect_embeds_in_rows(const Embedding& of) {
    constexpr uint32_t kBlock = 16, kNodes = 3;
    expect_embeds(of, Layout::ROW_MAJOR,
                  {.reader = row_reader(of, kBlock),
                   .writer = row_writer(of),
                   .buffers = {entries_in(DFBSpecName("in0"), 2, of.chunk * 2)},
                   .shares = shares_of(of.count(), kNodes),
                   .defines = of.defines(),
                   .scratchpads = scratchpads(of, kBlock)});
  }
  // The buffers have a row of tiles, so that no chunk crosses their end.
  static void expect_embeds_in_tiles(const Embedding& of) {
    constexpr uint32_t kNodes = 2;
    expect_embeds(of, Layout::TILE,
                  {.reader = tile_reader(of),
                   .compute = tilizer(of, kNodes),
                   .writer = tile_writer(of),
                   .buffers = {buffer_of("in0", of.width / 32), buffer_of("out", of.width / 32)},
                   .shares = shares_of(of.count() / 32, kNodes),
                   .defines = of.defines(),
                   .scratchpads = scratchpads(of, 32)});
  }
};

TEST_F(EmbeddingOperator, TakesRows) { expect_embeds_in_rows({4, 50, 96, 96}); }

TEST_F(EmbeddingOperator, TakesRowsInChunks) { expect_embeds_in_rows({2, 40, 200, 64}); }

TEST_F(EmbeddingOperator, KeepsTheRowOfPadding) {
  expect_embeds_in_rows({4, 50, 96, 96, Kept::kPadding});
}

TEST_F(EmbeddingOperator, KeepsBothRows) { expect_embeds_in_rows({2, 48, 64, 64, Kept::kBoth}); }

TEST_F(EmbeddingOperator, TakesIndicesInBfloat16) {
  expect_embeds_in_rows({2, 48, 64, 64, Kept::kNone, DataType::BFLOAT16});
}

TEST_F(EmbeddingOperator, MakesTiles) { expect_embeds_in_tiles({3, 64, 96, 3}); }

TEST_F(EmbeddingOperator, MakesTilesInChunks) { expect_embeds_in_tiles({3, 64, 160, 2}); }

TEST_F(EmbeddingOperator, MakesTilesAndKeepsTheRowOfPadding) {
  expect_embeds_in_tiles({3, 64, 128, 3, Kept::kPadding});
}

}  // namespace
}  // namespace lightmetal::testing::embedding
