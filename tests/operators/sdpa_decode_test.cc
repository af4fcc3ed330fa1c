// Attention of one query for each head to a cache of keys and values. The heads that share keys are
// the rows of a tile. The cores of such a group share the chunks of the cache out among them, the
// last chunk first, and combine what they have in a tree: in round r a core whose number is a
// multiple of 2^(r+1) takes what the core 2^r above it sends.
#include <bit>
#include <cmath>
#include <limits>
#include <tt-metalium/tensor/host_tensor.hpp>

#include "tests/operators/attention_reference.h"
#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::sdpa_decode {
namespace {

using namespace tt::tt_metal;

constexpr char kFolder[] = "operations/transformer/sdpa_decode/device/kernels/";
constexpr uint32_t kNone = ~0U;
constexpr uint32_t kMostRounds = 6;
constexpr uint32_t kIdle = 65;  // a core that has nothing to compute
enum SemaphoreId : uint32_t { kReducer, kOutput };

enum Index : uint8_t {
  kQuery = 0,
  kKey,
  kValue,
  kMask,
  kSink,
  kIdentityScale,
  kMaxIn,
  kSumIn,
  kWriterPosition,
  kColumnIdentity = 11,
  kZero,
  kComputePosition = 15,
  kOutIn,
  kMaxOut,
  kSumOut,
  kReceived,
  kOut,
  kPreviousSum2,
  kMaxDifference2,
  kOutSum2,
  kScores,
  kProduct,
  kOutSum,
  kMax1,
  kMax2,
  kSum1,
  kSum2,
  kMaxDifference
};

// Sizes without a unit are in tiles.
struct Decode {
  uint32_t kv_heads, heads;         // heads: at most a tile's rows
  uint32_t keys;                    // what the cache has room for
  uint32_t width, chunk;            // chunk: of the cache
  std::vector<uint32_t> positions;  // of the query in each batch; empty: all of the cache counts
  bool dynamic = false;             // smaller chunks where they are enough
  uint32_t batches = 2, cores = 4;  // cores: of each group

  uint32_t fixed_chunk() const { return dynamic ? 0 : chunk; }
  bool causal() const { return !positions.empty(); }
  uint32_t groups() const { return batches * kv_heads; }
  uint32_t rounds() const { return std::bit_width(cores - 1); }
  CoreRange used() const { return CoreRange({0, 0}, {cores - 1, groups() - 1}); }
  CoreRange all() const { return CoreRange({0, 0}, {cores, groups() - 1}); }  // a column is idle
  float scale() const { return 1 / std::sqrt(32.0F * width); }
};

class ScaledDotProductAttentionDecode : public PackagedOperator {
 protected:
  struct Tensors {
    const MeshTensor &query, &key, &value, &mask, &positions, &out;
  };

  static uint32_t stick_bytes(const Decode& of) { return 4 * of.batches; }

  static Words reader_args(const Decode& of, const Tensors& tensors) {
    Words args = {
        of.batches, 1, of.keys, of.width, of.width, of.fixed_chunk(), of.groups() * of.cores};
    args.insert(args.end(), {0, stick_bytes(of), 0, of.kv_heads, 0, of.batches, 1, of.cores, 1});
    args.insert(args.end(), {of.batches, of.causal(), !of.causal(), 0, of.chunk, 0, 0});
    args.insert(args.end(), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, of.batches, 0, 0});
    append_accessor(args, tensors.query);
    append_accessor(args, tensors.key);
    append_accessor(args, tensors.value);
    append_accessor(args, tensors.mask);
    append_accessor(args, tensors.positions);
    append_no_accessor(args);
    append_no_accessor(args);
    return args;
  }

  static Words writer_args(const Decode& of, const Tensors& tensors) {
    Words args = {1, of.keys, of.width, of.fixed_chunk(), bfloat16_pair(1), of.kv_heads * of.cores};
    args.insert(args.end(), {of.groups() * of.cores, kReducer, kOutput, 0, of.heads, of.kv_heads});
    args.insert(args.end(), {of.cores, 1, of.groups(), of.batches, 2, of.causal(), of.chunk, 1});
    args.insert(args.end(), {0, 0, 0});
    append_accessor(args, tensors.out);
    return args;
  }

  static Words compute_args(const Decode& of) {
    Words args = {of.keys, of.width, of.width, 1, of.fixed_chunk()};
    args.insert(args.end(), {of.width, of.chunk, 1, 1, 1});
    args.insert(args.end(), {of.chunk, of.width, 1, 1, 1});
    args.insert(args.end(), {of.cores, 1, of.causal(), !of.causal(), 0, of.chunk, 0, 1});
    args.insert(args.end(), {0, float_bits(of.scale()), 0, 0, 0});
    return args;
  }

  static KernelDescriptor described(const Decode& of, const char* name, Words args) {
    return {.kernel_source = PackagedOperator::kernel(std::string(kFolder) + name),
            .core_ranges = of.all(),
            .compile_time_args = std::move(args)};
  }

  // Where a core stands in the tree: whether it is the root, its parent and the round in which it
  // sends, and the child of each round.
  static Words tree_args(const Decode& of, uint32_t core, bool sends) {
    const auto round = static_cast<uint32_t>(core == 0 ? kMostRounds : std::countr_zero(core));
    Words args = {core == 0, core == 0 ? kNone : core - (1 << round)};
    if (sends) args.push_back(core == 0 ? kNone : round);
    for (uint32_t r = 0; r < kMostRounds; ++r) {
      const uint32_t child = core + (1 << r);
      args.push_back(r < round && child < of.cores ? child : kNone);
    }
    return args;
  }

  // The columns and then the rows of cores, as the NoC has them.
  static void append_places(distributed::MeshDevice& mesh, KernelDescriptor::RTArgList& args,
                            const std::vector<CoreCoord>& cores) {
    Words columns, rows;
    for (const CoreCoord core : cores) {
      const CoreCoord noc = mesh.worker_core_from_logical_core(core);
      columns.push_back(noc.x);
      rows.push_back(noc.y);
    }
    args.append(columns);
    args.append(rows);
  }

  static std::vector<CoreCoord> cores_of(const CoreRange& range) {
    return {range.begin(), range.end()};
  }
  static std::vector<CoreCoord> output_cores(const Decode& of) {
    std::vector<CoreCoord> cores;
    for (uint32_t batch = 0; batch < of.batches; ++batch) {
      cores.emplace_back(0, batch * of.kv_heads);
    }
    return cores;
  }

  static void add_kernels(distributed::MeshDevice& mesh, ProgramDescriptor& program,
                          const Decode& of, const Tensors& tensors) {
    KernelDescriptor read =
        described(of, "dataflow/reader_decode_all.cpp", reader_args(of, tensors));
    KernelDescriptor write =
        described(of, "dataflow/writer_decode_all.cpp", writer_args(of, tensors));
    KernelDescriptor compute = described(of, "compute/sdpa_flash_decode.cpp", compute_args(of));
    read.config = ReaderConfigDescriptor{};
    write.config = WriterConfigDescriptor{};
    compute.config = ComputeConfigDescriptor{};
    compute.defines = {{"EXP_APPROX_MODE", "0"}};
    if (of.dynamic) compute.defines.emplace_back("DYNAMIC_CHUNK_SIZE", "1");
    for (const CoreCoord core : of.all()) {
      if (!of.used().contains(core)) {
        read.emplace_runtime_args(core, list(Words(18)));
        write.emplace_runtime_args(core, list(Words(15)));
        compute.emplace_runtime_args(core, list({kIdle, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
        continue;
      }
      const auto head = static_cast<uint32_t>(core.y % of.kv_heads);
      const auto batch = static_cast<uint32_t>(core.y / of.kv_heads);
      const auto number = static_cast<uint32_t>(core.x);
      read.emplace_runtime_args(core, reads(mesh, of, tensors, {head, batch, number, kNone}));
      write.emplace_runtime_args(core, writes(mesh, of, tensors, {head, batch, number, kNone}));
      KernelDescriptor::RTArgList computes = list({number == 0, batch, number, kNone});
      computes.append(tree_args(of, number, false));
      compute.emplace_runtime_args(core, computes);
    }
    program.kernels = {read, write, compute};
  }
  static KernelDescriptor::RTArgList list(const Words& words) {
    KernelDescriptor::RTArgList args;
    args.append(words);
    return args;
  }
  // `role`: the group's head and batch, the core's number in it, and that positions are a tensor.
  static KernelDescriptor::RTArgList reads(distributed::MeshDevice& mesh, const Decode& of,
                                           const Tensors& tensors, const Words& role) {
    KernelDescriptor::RTArgList args;
    for (const MeshTensor* tensor :
         {&tensors.query, &tensors.key, &tensors.value, &tensors.positions}) {
      args.push_back(address_of(*tensor));
    }
    args.push_back(0U);
    args.push_back(address_of(tensors.mask));
    args.append({0, 0, role[2] == 0});
    args.append(role);
    args.append({0, 0, 0, 0, 0});  // no multicast
    append_places(mesh, args, output_cores(of));
    return args;
  }
  static KernelDescriptor::RTArgList writes(distributed::MeshDevice& mesh, const Decode& of,
                                            const Tensors& tensors, const Words& role) {
    const uint32_t row = role[1] * of.kv_heads + role[0];
    KernelDescriptor::RTArgList args;
    args.push_back(address_of(tensors.out));
    args.push_back(static_cast<uint32_t>(role[2] == 0));
    args.append(role);
    args.append(tree_args(of, role[2], true));
    append_places(mesh, args, cores_of(CoreRange({0, row}, {of.cores - 1, row})));
    append_places(mesh, args, cores_of(CoreRange({0, 0}, {0, of.groups() - 1})));
    append_places(mesh, args, output_cores(of));
    return args;
  }

  static std::vector<CBDescriptor> buffers(const Decode& of) {
    const CoreRangeSet cores(of.all());
    std::vector<CBDescriptor> buffers = {tiles_in(kKey, 2 * of.chunk * of.width, cores),
                                         tiles_in(kValue, 2 * of.chunk * of.width, cores),
                                         tiles_in(kColumnIdentity, 1, cores),
                                         tiles_in(kMask, of.chunk, cores),
                                         tiles_in(kScores, of.chunk, cores),
                                         tiles_in(kReceived, of.rounds() * (of.width + 2), cores)};
    for (const uint8_t index : {kWriterPosition, kComputePosition}) {
      buffers.push_back(pages_in(index, 1, stick_bytes(of), cores, tt::DataFormat::Int32));
    }
    for (const uint8_t index : {kQuery, kOutIn, kOut, kOutSum2, kProduct, kOutSum}) {
      buffers.push_back(tiles_in(index, of.width, cores));
    }
    for (const uint8_t index :
         {kSink, kIdentityScale, kMaxIn, kSumIn, kZero, kMaxOut, kSumOut, kPreviousSum2,
          kMaxDifference2, kMax1, kMax2, kSum1, kSum2, kMaxDifference}) {
      buffers.push_back(tiles_in(index, 1, cores));
    }
    return buffers;
  }

  static MeshTensor upload_positions(distributed::MeshDevice& mesh, const Decode& of) {
    std::vector<int32_t> positions(of.positions.begin(), of.positions.end());
    positions.resize(of.batches);
    return mesh.mesh_command_queue().enqueue_write_tensor(HostTensor::from_vector(
        positions, spec_of(Shape({of.batches}), DataType::INT32, Layout::ROW_MAJOR)));
  }

  static void expect_decodes(const Decode& of) {
    const uint32_t columns = 32 * of.width, keys = 32 * of.keys;
    const auto query = random_values(of.batches * of.heads * columns, 1, -2, 2);
    const auto key = random_values(of.groups() * keys * columns, 2, -2, 2);
    const auto value = random_values(of.groups() * keys * columns, 3);
    const auto mask = random_values(of.batches * of.heads * keys, 4, -8, 8);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec = spec_of(Shape({1, of.batches, of.heads, columns}));
      const TensorSpec cache = spec_of(Shape({of.batches, of.kv_heads, keys, columns}));
      const MeshTensor q = upload(mesh, query, spec);
      const MeshTensor k = upload(mesh, key, cache);
      const MeshTensor v = upload(mesh, value, cache);
      const MeshTensor m = upload(mesh, mask, spec_of(Shape({of.batches, 1, of.heads, keys})));
      const MeshTensor at = upload_positions(mesh, of);
      const MeshTensor out = MeshTensor::allocate_on_device(mesh, spec);
      ProgramDescriptor program;
      add_kernels(mesh, program, of, {q, k, v, m, at, out});
      program.cbs = buffers(of);
      for (const uint32_t id : {kReducer, kOutput}) {
        program.semaphores.push_back({.id = id, .core_ranges = of.all()});
      }
      run_described(mesh, program);
      return download(mesh, out);
    };
    const auto added = [&](uint32_t batch, uint32_t head, uint32_t /*query*/, uint32_t key) {
      if (!of.causal()) return mask[(batch * of.heads + head) * keys + key];
      return key > of.positions[batch] ? -std::numeric_limits<float>::infinity() : 0;
    };
    const AttentionSizes sizes{of.batches, of.heads, of.kv_heads, 1,
                               keys,       columns,  columns,     of.scale()};
    // Weights, sums and products are rounded to the 8 bits of bfloat16, once for each chunk of
    // keys; what is averaged lies between -1 and 1.
    expect_computes(program, attention(sizes, query, key, value, added),
                    {.correlation = 0.9995, .absolute = 0.01, .relative = 0.01});
  }
};

TEST_F(ScaledDotProductAttentionDecode, AttendsToWhatCameBefore) {
  expect_decodes(
      {.kv_heads = 2, .heads = 32, .keys = 32, .width = 2, .chunk = 2, .positions = {1000, 170}});
}

TEST_F(ScaledDotProductAttentionDecode, MasksAndCombinesWhatManyCoresHave) {
  expect_decodes({.kv_heads = 1,
                  .heads = 32,
                  .keys = 24,
                  .width = 4,
                  .chunk = 4,
                  .positions = {},
                  .cores = 6});
}

TEST_F(ScaledDotProductAttentionDecode, TakesSmallerChunksWhereLittleCameBefore) {
  expect_decodes({.kv_heads = 1,
                  .heads = 8,
                  .keys = 16,
                  .width = 2,
                  .chunk = 4,
                  .positions = {400, 20},
                  .dynamic = true});
}

}  // namespace
}  // namespace lightmetal::testing::sdpa_decode
