// Scaled dot product attention: softmax((Q K^T + mask) scale) V for each head, of chunks of queries
// that the cores share out among them. A core goes over the chunks of keys and values once for each
// chunk of queries, and corrects what it has by the greatest score so far.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/operators/attention_reference.h"
#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_operator.h"

namespace lightmetal::testing::sdpa {
namespace {

using namespace tt::tt_metal;

constexpr char kFolder[] = "operations/transformer/sdpa/device/kernels/";
const CoreRange kGrid({0, 0}, {2, 1});
constexpr uint32_t kGridWidth = 3, kGridHeight = 2, kCores = kGridWidth * kGridHeight;

enum Index : uint8_t {
  kQuery,
  kKey,
  kValue,
  kMask,
  kIdentityScale,
  kColumnIdentity,
  kOut = 16,
  kScores = 24,
  kOutA,
  kOutB,
  kMaxA,
  kMaxB,
  kSumA,
  kSumB,
  kMaxDifference
};
enum SemaphoreId : uint32_t { kSender, kReceiver, kValid, kForwarded };

// How the cores of a head come by its keys and values, other than each from memory.
enum class Sharing : uint8_t { kNone, kChain, kMulticast };

// Sizes without a unit are in tiles.
struct Attention {
  uint32_t batches, heads, kv_heads;
  uint32_t rows;  // of queries, of keys and of values, in elements
  uint32_t width;
  uint32_t query_chunk, key_chunk;
  bool causal, masked;
  Sharing sharing = Sharing::kNone;

  uint32_t row_tiles() const { return (rows + 31) / 32; }
  uint32_t query_chunks() const { return (row_tiles() + query_chunk - 1) / query_chunk; }
  uint32_t key_chunks() const { return (row_tiles() + key_chunk - 1) / key_chunk; }
  bool padded() const { return !causal && rows % (32 * key_chunk) != 0; }
  float scale() const { return 1 / std::sqrt(32.0F * width); }
};

class ScaledDotProductAttention : public PackagedOperator {
 protected:
  struct Tensors {
    const MeshTensor &query, &key, &value, &mask, &out;
  };

  static KernelDescriptor data_movement(const char* name, Words args, bool writes) {
    KernelDescriptor kernel{.kernel_source = PackagedOperator::kernel(std::string(kFolder) + name),
                            .core_ranges = kGrid,
                            .compile_time_args = std::move(args)};
    if (writes) {
      kernel.config = WriterConfigDescriptor{};
    } else {
      kernel.config = ReaderConfigDescriptor{};
    }
    return kernel;
  }

  static Words reader_args(const Attention& of, const Tensors& tensors) {
    Words args = {of.batches,
                  of.heads,
                  of.kv_heads,
                  of.kv_heads,
                  of.key_chunks() * of.key_chunk,
                  of.row_tiles(),
                  of.row_tiles(),
                  of.width,
                  of.width,
                  of.query_chunk,
                  of.query_chunks(),
                  of.key_chunk,
                  of.key_chunks(),
                  kCores};
    args.insert(args.end(), {of.causal, of.masked, 0, 1, of.padded()});
    args.insert(args.end(), {0, 0, 0, 0, 0, 0});  // no pages, no sink, no latent
    args.insert(args.end(), {1, 0, 0});
    args.insert(args.end(), {kSender, kReceiver, kValid, of.sharing == Sharing::kMulticast});
    args.insert(args.end(), {of.causal, 0, 0, 0, 2, kForwarded});
    append_accessor(args, tensors.query);
    append_accessor(args, tensors.key);
    append_accessor(args, tensors.value);
    append_accessor(args, tensors.mask);
    for (int absent = 0; absent < 6; ++absent) append_no_accessor(args);
    args.insert(args.end(), {kQuery, kKey, kValue, kMask});
    args.insert(args.end(), 8, kQuery);
    return args;
  }

  static Words writer_args(const Attention& of, const Tensors& tensors) {
    Words args = {of.batches,        of.heads,     of.row_tiles(),
                  of.rows,           of.width,     of.query_chunk,
                  of.query_chunks(), of.key_chunk, of.key_chunks(),
                  bfloat16_pair(1),  kCores};
    args.insert(args.end(), {of.causal, of.masked, of.padded(), 0, 0});
    args.insert(args.end(), {of.causal, 0, 1, 0, of.causal});
    args.insert(args.end(), {0, 0, kSender, kReceiver, kValid, kForwarded, 0});
    append_accessor(args, tensors.out);
    append_no_accessor(args);
    append_no_accessor(args);
    args.insert(args.end(), {kMask, kIdentityScale, kColumnIdentity, kQuery, kOut});
    args.insert(args.end(), 3, kQuery);
    return args;
  }

  static KernelDescriptor compute(const Attention& of) {
    Words args = {of.key_chunks() * of.key_chunk,
                  of.width,
                  of.width,
                  of.query_chunk,
                  of.query_chunks(),
                  of.key_chunk,
                  of.key_chunks()};
    args.insert(args.end(), {of.width, 2, 1, of.query_chunk, of.key_chunk / 2});
    args.insert(args.end(), {of.key_chunk, of.width, 1, of.query_chunk, 1});
    args.insert(args.end(), {of.causal, of.masked, of.padded(), 0, float_bits(of.scale()), 0, 0});
    args.insert(args.end(), {0, of.row_tiles(), 0, of.causal, 0});
    args.insert(args.end(), {kQuery, kKey, kValue, kMask, kQuery, kIdentityScale});
    args.insert(args.end(), {kColumnIdentity, kQuery, kQuery, kOut, kScores, kOutA, kOutB});
    args.insert(args.end(), {kMaxA, kMaxB, kSumA, kSumB, kMaxDifference, kQuery});
    return {.kernel_source = PackagedOperator::kernel(std::string(kFolder) + "compute/sdpa.cpp"),
            .core_ranges = kGrid,
            .compile_time_args = args,
            .defines = {{"EXP_APPROX_MODE", "0"},
                        {"STATS_GRANULARITY", "1"},
                        {"SUB_EXP_GRANULARITY", "2"},
                        {"DHT_GRANULARITY", "2"}},
            .config = ComputeConfigDescriptor{}};
  }

  // Where a core stands among those that share the keys and values of a head: they have as many
  // chunks of queries each, and are the cores of a row of the grid.
  static Words sharing_args(distributed::MeshDevice& mesh, const Attention& of, CoreCoord core) {
    if (of.sharing == Sharing::kNone) return Words(12);
    const auto place = [&](size_t x) {
      const CoreCoord noc = mesh.worker_core_from_logical_core({x, core.y});
      return Words{static_cast<uint32_t>(noc.x), static_cast<uint32_t>(noc.y)};
    };
    const bool first = core.x == 0, last = core.x == kGridWidth - 1;
    const bool multicast = of.sharing == Sharing::kMulticast;
    Words args = {1, first, multicast ? !first : last, static_cast<uint32_t>(core.y / of.heads),
                  static_cast<uint32_t>(core.y % of.heads)};
    const Words previous = place(multicast ? (first ? 1 : 0) : (first ? 0 : core.x - 1));
    const Words next = place(multicast || last ? kGridWidth - 1 : core.x + 1);
    args.insert(args.end(), previous.begin(), previous.end());
    args.insert(args.end(), next.begin(), next.end());
    args.insert(args.end(), {of.query_chunks() / kGridWidth, kGridWidth - 1, kGridWidth - 1});
    return args;
  }

  static ProgramDescriptor attending(distributed::MeshDevice& mesh, const Attention& of,
                                     const Tensors& tensors) {
    KernelDescriptor read =
        data_movement("dataflow/reader_interleaved.cpp", reader_args(of, tensors), false);
    KernelDescriptor write =
        data_movement("dataflow/writer_interleaved.cpp", writer_args(of, tensors), true);
    KernelDescriptor computes = compute(of);
    const auto shares = shares_of(of.batches * of.heads * of.query_chunks(), kCores);
    for (uint32_t i = 0; i < kCores; ++i) {
      const CoreCoord core(i % kGridWidth, i / kGridWidth);
      const Words share = {shares[i].first, shares[i].count};
      KernelDescriptor::RTArgList reads, writes, calculates;
      for (const MeshTensor* tensor :
           {&tensors.query, &tensors.key, &tensors.value, &tensors.mask}) {
        reads.push_back(address_of(*tensor));
      }
      reads.append({0, 0, 0, 1, 0, 0});
      if (!of.causal) reads.append(sharing_args(mesh, of, core));
      reads.append(share);
      read.emplace_runtime_args(core, reads);
      writes.push_back(address_of(tensors.out));
      writes.append({1, 0, 0, 0, 0, 0});
      writes.append(share);
      writes.append({0, 0});
      write.emplace_runtime_args(core, writes);
      calculates.append({1, 0, 0, 0});
      calculates.append(share);
      computes.emplace_runtime_args(core, calculates);
    }
    ProgramDescriptor program;
    program.kernels = {read, write, computes};
    for (const uint32_t id : {kSender, kReceiver, kValid, kForwarded}) {
      program.semaphores.push_back({.id = id, .core_ranges = kGrid});
    }
    program.cbs = buffers(of);
    return program;
  }

  // The mask of a chunk of scores, or the two tiles that a causal one is made of. What the writer
  // makes for the end of the keys is in the smallest format.
  static CBDescriptor mask_buffer(const Attention& of, const CoreRangeSet& cores) {
    const uint32_t scores = of.query_chunk * of.key_chunk;
    if (of.masked || of.causal) return tiles_in(kMask, of.masked ? scores : 2, cores);
    return pages_in(kMask, scores, tt::tile_size(tt::DataFormat::Bfp4_b), cores,
                    tt::DataFormat::Bfp4_b);
  }
  static std::vector<CBDescriptor> buffers(const Attention& of) {
    const CoreRangeSet cores(kGrid);
    const uint32_t scores = of.query_chunk * of.key_chunk;
    const uint32_t out = of.query_chunk * of.width;
    std::vector<CBDescriptor> buffers = {tiles_in(kQuery, 2 * of.query_chunk * of.width, cores),
                                         tiles_in(kKey, 2 * of.key_chunk * of.width, cores),
                                         tiles_in(kValue, 2 * of.key_chunk * of.width, cores),
                                         mask_buffer(of, cores),
                                         tiles_in(kOut, out, cores),
                                         tiles_in(kScores, scores, cores),
                                         tiles_in(kOutA, out, cores),
                                         tiles_in(kOutB, out, cores)};
    for (const uint8_t single : {kIdentityScale, kColumnIdentity}) {
      buffers.push_back(tiles_in(single, 1, cores));
    }
    for (const uint8_t column : {kMaxA, kMaxB, kSumA, kSumB, kMaxDifference}) {
      buffers.push_back(tiles_in(column, of.query_chunk, cores));
    }
    return buffers;
  }

  static void expect_attends(const Attention& of) {
    const uint32_t columns = 32 * of.width;
    const auto query = random_values(of.batches * of.heads * of.rows * columns, 1, -2, 2);
    const auto key = random_values(of.batches * of.kv_heads * of.rows * columns, 2, -2, 2);
    const auto value = random_values(of.batches * of.kv_heads * of.rows * columns, 3);
    const auto mask = random_values(of.batches * of.rows * of.rows, 4, -8, 8);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const auto spec = [&](uint32_t heads, uint32_t width) {
        return spec_of(Shape({of.batches, heads, of.rows, width}));
      };
      const MeshTensor q = upload(mesh, query, spec(of.heads, columns));
      const MeshTensor k = upload(mesh, key, spec(of.kv_heads, columns));
      const MeshTensor v = upload(mesh, value, spec(of.kv_heads, columns));
      const MeshTensor m = upload(mesh, mask, spec(1, of.rows));
      const MeshTensor out = MeshTensor::allocate_on_device(mesh, spec(of.heads, columns));
      run_described(mesh, attending(mesh, of, {q, k, v, m, out}));
      return download(mesh, out);
    };
    const auto allows = [&](uint32_t batch, uint32_t /*head*/, uint32_t row, uint32_t column) {
      if (of.masked) return mask[(batch * of.rows + row) * of.rows + column];
      return of.causal && column > row ? -std::numeric_limits<float>::infinity() : 0;
    };
    const AttentionSizes sizes{of.batches, of.heads, of.kv_heads, of.rows,
                               of.rows,    columns,  columns,     of.scale()};
    // Weights, sums and products are rounded to the 8 bits of bfloat16, once for each chunk of
    // keys; what is averaged lies between -1 and 1.
    expect_computes(program, attention(sizes, query, key, value, allows),
                    {.correlation = 0.9995, .absolute = 0.01, .relative = 0.01});
  }
};

TEST_F(ScaledDotProductAttention, CausalWithHeadsThatShareKeys) {
  expect_attends({.batches = 2,
                  .heads = 4,
                  .kv_heads = 2,
                  .rows = 256,
                  .width = 2,
                  .query_chunk = 2,
                  .key_chunk = 2,
                  .causal = true,
                  .masked = false});
}

TEST_F(ScaledDotProductAttention, MaskedWithKeysThatCoresPassOn) {
  expect_attends({.batches = 1,
                  .heads = 2,
                  .kv_heads = 1,
                  .rows = 384,
                  .width = 2,
                  .query_chunk = 2,
                  .key_chunk = 4,
                  .causal = false,
                  .masked = true,
                  .sharing = Sharing::kChain});
}

TEST_F(ScaledDotProductAttention, PaddedWithKeysThatOneCoreMulticasts) {
  expect_attends({.batches = 1,
                  .heads = 2,
                  .kv_heads = 2,
                  .rows = 374,
                  .width = 2,
                  .query_chunk = 2,
                  .key_chunk = 8,
                  .causal = false,
                  .masked = false,
                  .sharing = Sharing::kMulticast});
}

}  // namespace
}  // namespace lightmetal::testing::sdpa
