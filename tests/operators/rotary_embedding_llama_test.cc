// Rotary position embedding, in which neighbours turn against each other: of two neighbours x and y
// the result is x cos - y sin and y cos + x sin, for which a matrix product exchanges them. A unit
// of work is a row of tiles of all heads.
#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::rotary_embedding_llama {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr char kFolder[] =
    "operations/experimental/transformer/rotary_embedding_llama/device/kernels/";
constexpr uint32_t kNodes = 2;

struct Rotation {
  uint32_t batches, heads, rows, width;
  uint32_t rotary_rows = rows;   // those behind become 0
  bool angles_of_heads = false;  // else all heads have the same ones

  uint32_t ht() const { return rows / 32; }
  uint32_t wt() const { return width / 32; }
  uint32_t rotary_ht() const { return rotary_rows / 32; }
  // Angles are read anew for each head, or kept.
  bool reloads() const { return angles_of_heads; }
  Shape angles() const { return Shape({1, angles_of_heads ? heads : 1, rotary_rows, width}); }
};

// What exchanges the neighbours of a row, and negates one of them.
std::vector<float> exchange() {
  std::vector<float> matrix(32 * 32);
  for (uint32_t i = 0; i < 32; i += 2) {
    matrix[i * 32 + i + 1] = 1;
    matrix[(i + 1) * 32 + i] = -1;
  }
  return matrix;
}

// The result of an element of a row whose angles lie from `angle` on.
double turned(const std::vector<float>& x, uint32_t i, double cos, double sin) {
  return x[i] * cos + (i % 2 == 0 ? -x[i + 1] : x[i - 1]) * sin;
}

// Two products below 1 and a sum below 2, each rounded to the 8 bits of bfloat16.
constexpr Tolerance kRounded{.correlation = 0.9999, .absolute = 1. / 128, .relative = 0};

class RotaryEmbeddingLlama : public PackagedOperator {
 protected:
  static Arguments part(const Rotation& of, const Share& share) {
    return {{"batch_start", 0},
            {"batch_end", of.batches},
            {"seq_t_start", share.first},
            {"seq_t_end", share.first + share.count}};
  }
  static Arguments part_of_heads(const Rotation& of, const Share& share) {
    Arguments arguments = part(of, share);
    arguments.insert({"head_start", 0});
    arguments.insert({"head_end", of.heads});
    return arguments;
  }

  static OperatorKernel reader(const Rotation& of) {
    return {.source = kernel(std::string(kFolder) +
                             "dataflow/reader_rotary_embedding_llama_interleaved_start_id.cpp"),
            .produces = {"input", "cos", "sin", "trans_mat"},
            .tensors = {"input", "cos", "sin", "trans_mat"},
            .constants = {{"n_heads", of.heads},
                          {"Ht", of.ht()},
                          {"Wt", of.wt()},
                          {"freq_per_head", of.angles_of_heads},
                          {"cos_Ht", of.rotary_ht()},
                          {"sin_Ht", of.rotary_ht()},
                          {"rotary_Ht", of.rotary_ht()}},
            .arguments = [=](const Share& share) { return part_of_heads(of, share); }};
  }
  static OperatorKernel compute(const Rotation& of) {
    OperatorKernel computes{
        .source = kernel(std::string(kFolder) + "compute/rotary_embedding_llama.cpp"),
        .consumes = {"input", "cos", "sin", "trans_mat"},
        .produces = {"out"},
        .constants = {{"n_heads", of.heads}, {"Wt", of.wt()}, {"rotary_Ht", of.rotary_ht()}},
        .arguments = [=](const Share& share) { return part(of, share); }};
    for (const std::string own : {"rotated_interm", "cos_interm", "sin_interm"}) {
      computes.consumes.push_back(own);
      computes.produces.push_back(own);
    }
    return computes;
  }
  static OperatorKernel writer(const Rotation& of) {
    return {.source = kernel(std::string(kFolder) +
                             "dataflow/writer_rotary_embedding_llama_interleaved_start_id.cpp"),
            .consumes = {"out"},
            .tensors = {"output"},
            .scratchpads = {"zero"},
            .constants = {{"n_heads", of.heads},
                          {"Ht", of.ht()},
                          {"Wt", of.wt()},
                          {"rotary_Ht", of.rotary_ht()}},
            .arguments = [=](const Share& share) { return part_of_heads(of, share); }};
  }

  static Group<DataflowBufferSpec> buffers(const Rotation& of, uint32_t rows_per_node) {
    const uint32_t angles = (of.reloads() ? 2 : rows_per_node) * of.wt();
    return {buffer_of("input", 2 * of.wt()),
            buffer_of("cos", angles),
            buffer_of("sin", angles),
            buffer_of("trans_mat", 1),
            buffer_of("rotated_interm", of.wt()),
            buffer_of("cos_interm", of.wt()),
            buffer_of("sin_interm", of.wt()),
            buffer_of("out", 2 * of.wt())};
  }

  static std::vector<double> rotated(const Rotation& of, const std::vector<float>& x,
                                     const std::vector<float>& cos, const std::vector<float>& sin) {
    std::vector<double> result(x.size());
    for (uint32_t i = 0; i < x.size(); ++i) {
      const uint32_t row = i / of.width % of.rows, head = i / of.width / of.rows % of.heads;
      if (row >= of.rotary_rows) continue;
      const uint32_t angle_row = (of.angles_of_heads ? head * of.rotary_rows : 0) + row;
      const uint32_t angle = angle_row * of.width + i % of.width;
      result[i] = turned(x, i, cos[angle], sin[angle]);
    }
    return result;
  }

  static void expect_rotates(const Rotation& of) {
    const auto x = random_values(of.batches * of.heads * of.rows * of.width, 1);
    const auto cos = random_values(of.angles().volume(), 2),
               sin = random_values(of.angles().volume(), 3);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec = spec_of(Shape({of.batches, of.heads, of.rows, of.width}));
      const MeshTensor input = upload(mesh, x, spec),
                       cosines = upload(mesh, cos, spec_of(of.angles())),
                       sines = upload(mesh, sin, spec_of(of.angles())),
                       matrix = upload(mesh, exchange(), spec_of(Shape({1, 1, 32, 32}))),
                       output = upload(mesh, x, spec);  // in place of what lies there
      const std::vector<Share> shares = shares_of(of.ht(), kNodes);
      launch(mesh, {.reader = reader(of),
                    .compute = compute(of),
                    .writer = writer(of),
                    .buffers = buffers(of, shares.front().count),
                    .tensors = {{"input", &input},
                                {"cos", &cosines},
                                {"sin", &sines},
                                {"trans_mat", &matrix},
                                {"output", &output}},
                    .shares = shares,
                    .defines = {{"RELOAD_IMPL", of.reloads() ? "1" : "0"}},
                    .scratchpads = {{.unique_id = ScratchpadSpecName("zero"),
                                     .size_per_node = of.wt() * 2048}}});
      return download(mesh, output);
    };
    expect_computes(program, rotated(of, x, cos, sin), kRounded);
  }
};

TEST_F(RotaryEmbeddingLlama, TurnsEachRowByItsPosition) { expect_rotates({2, 3, 128, 64}); }

TEST_F(RotaryEmbeddingLlama, TurnsEachHeadByItsOwnAngles) {
  expect_rotates({.batches = 2, .heads = 2, .rows = 96, .width = 128, .angles_of_heads = true});
}

TEST_F(RotaryEmbeddingLlama, MakesZerosOfRowsWithoutAPosition) {
  expect_rotates({.batches = 1, .heads = 2, .rows = 128, .width = 128, .rotary_rows = 96});
}

class RotaryEmbeddingLlamaDecode : public PackagedOperator {
 protected:
  static constexpr uint32_t kUsers = 5, kHeads = 8, kWidth = 128, kWt = kWidth / 32;
  static NodeRange users() { return NodeRange({0, 0}, {kUsers - 1, 0}); }

  // One shard for each node.
  static TensorSpec in_l1(const Shape& shape) {
    return TensorSpec(shape,
                      TensorLayout(DataType::BFLOAT16, Layout::TILE,
                                   MemoryConfig(TensorMemoryLayout::INTERLEAVED, BufferType::L1)))
        .height_sharded(NodeRangeSet(users()));
  }

  // A compute kernel alone: the buffers of the tensors are full already.
  static ProgramSpec rotating(
      const std::vector<std::pair<std::string, const MeshTensor*>>& tensors) {
    KernelSpec compute{
        .unique_id = KernelSpecName("compute"),
        .source = kernel(std::string(kFolder) + "compute/rotary_embedding_llama_sharded.cpp"),
        .compile_time_args = {{"Wt", kWt}, {"Ht", 1}},
        .hw_config = ComputeHardwareConfig{}};
    ProgramSpec spec{.name = "rotary"};
    for (const auto& [name, tensor] : tensors) {
      spec.tensor_parameters.push_back(
          {.unique_id = TensorParamName(name), .spec = tensor->tensor_spec()});
      spec.dataflow_buffers.push_back(buffer_of(name, name == "trans_mat" ? 1 : kWt));
      spec.dataflow_buffers.back().borrowed_from = TensorParamName(name);
    }
    for (const char* name : {"rotated_interm", "cos_interm", "sin_interm"}) {
      spec.dataflow_buffers.push_back(buffer_of(name, kWt));
    }
    for (const DataflowBufferSpec& buffer : spec.dataflow_buffers) {
      compute.dfb_bindings.push_back(ProducerOf(buffer.unique_id, buffer.unique_id.get()));
      compute.dfb_bindings.push_back(ConsumerOf(buffer.unique_id, buffer.unique_id.get()));
    }
    spec.kernels = {compute};
    spec.work_units = {{.name = "users", .kernels = {compute.unique_id}, .target_nodes = users()}};
    return spec;
  }
};

TEST_F(RotaryEmbeddingLlamaDecode, TurnsTheHeadsOfEachUserByItsPosition) {
  const auto x = random_values(kUsers * kHeads * kWidth, 4),
             cos = random_values(kUsers * kWidth, 5), sin = random_values(kUsers * kWidth, 6);
  std::vector<double> expected(x.size());
  for (uint32_t i = 0; i < x.size(); ++i) {
    const uint32_t angle = i / (kHeads * kWidth) * kWidth + i % kWidth;
    expected[i] = turned(x, i, cos[angle], sin[angle]);
  }
  std::vector<float> exchanges;
  for (uint32_t user = 0; user < kUsers; ++user) {
    const std::vector<float> one = exchange();
    exchanges.insert(exchanges.end(), one.begin(), one.end());
  }
  const auto program = [&](distributed::MeshDevice& mesh) {
    const TensorSpec heads = in_l1(Shape({1, kUsers, kHeads, kWidth})),
                     angles = in_l1(Shape({1, kUsers, 1, kWidth}));
    const MeshTensor input = upload(mesh, x, heads), cosines = upload(mesh, cos, angles),
                     sines = upload(mesh, sin, angles),
                     matrix = upload(mesh, exchanges, in_l1(Shape({1, 1, kUsers * 32, 32}))),
                     out = MeshTensor::allocate_on_device(mesh, heads);
    run_specified(mesh,
                  rotating({{"input", &input},
                            {"cos", &cosines},
                            {"sin", &sines},
                            {"trans_mat", &matrix},
                            {"out", &out}}),
                  {.tensor_args = {{TensorParamName("input"), input},
                                   {TensorParamName("cos"), cosines},
                                   {TensorParamName("sin"), sines},
                                   {TensorParamName("trans_mat"), matrix},
                                   {TensorParamName("out"), out}}});
    return download(mesh, out);
  };
  expect_computes(program, expected, kRounded);
}

}  // namespace
}  // namespace lightmetal::testing::rotary_embedding_llama
