// Matrix products in which cores share what they read. A core reads blocks of the first matrix and
// multicasts them to the cores that need them, too; likewise another with the second one.
//
// In two dimensions the core in row i and column j computes block (i, j) of the result; the first
// core of a row sends the first matrix's blocks, the first core of a column the second one's. In
// one dimension each core has all of the rows and some of the columns: the first core sends the
// first matrix to all, and each reads the second one itself.
#include <algorithm>

#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"

namespace lightmetal::testing::matmul_multicast {
namespace {

using namespace tt::tt_metal;

constexpr char kFolder[] = "operations/matmul/device/kernels/";
const CoreRange kGrid({0, 0}, {2, 1});
constexpr uint32_t kGridWidth = 3, kGridHeight = 2, kCores = kGridWidth * kGridHeight;
enum Index : uint8_t { kIn0 = 0, kIn1 = 1, kBias = 3, kOut = 4, kPartials = 5, kSparsity = 6 };
enum SemaphoreId : uint32_t { kIn0Ready, kIn0Valid, kIn1Ready, kIn1Valid };

// Sizes without a unit are in tiles.
struct Product {
  bool two_dimensions;
  uint32_t batches, rows, inner, columns;    // of the matrices, in elements
  uint32_t block_height, block_width;        // of the part of a core that is computed at a time
  uint32_t blocks_down, blocks_across;       // how many of them a core has
  uint32_t block_inner;                      // of what is multiplied at a time
  uint32_t subblock_height, subblock_width;  // of what is in DST at a time
  bool bias_and_relu;

  static uint32_t tiles(uint32_t elements) { return (elements + 31) / 32; }
  uint32_t mt() const { return tiles(rows); }
  uint32_t kt() const { return tiles(inner); }
  uint32_t nt() const { return tiles(columns); }
  uint32_t inner_blocks() const { return kt() / block_inner; }
};

// How much of the blocks of a core lies within a matrix, in one dimension.
struct Fit {
  Fit(uint32_t size, uint32_t block, uint32_t blocks, uint32_t subblock, uint32_t place)
      : start(place * block * blocks) {
    const uint32_t mine = std::min(size - start, block * blocks);
    used_blocks = (mine + block - 1) / block;
    last_block = mine - (used_blocks - 1) * block;
    subblocks = block / subblock;
    last_subblocks = (last_block + subblock - 1) / subblock;
    last_subblock = last_block - (last_subblocks - 1) * subblock;
  }
  uint32_t start, used_blocks, last_block;
  uint32_t subblocks;       // of a whole block
  uint32_t last_subblocks;  // of the last block, those that have anything
  uint32_t last_subblock;   // what the last of those has
};

class MatmulMulticast : public PackagedOperator {
 protected:
  struct Tensors {
    const MeshTensor &in0, &in1, &bias, &out;
  };

  // What the cores at (x, y) compute.
  static Fit rows_of(const Product& p, CoreCoord core) {
    return Fit(p.mt(), p.block_height, p.blocks_down, p.subblock_height,
               p.two_dimensions ? core.y : 0);
  }
  static Fit columns_of(const Product& p, CoreCoord core) {
    return Fit(p.nt(), p.block_width, p.blocks_across, p.subblock_width,
               p.two_dimensions ? core.x : core.y * kGridWidth + core.x);
  }

  static KernelDescriptor data_movement(const char* name, const CoreRangeSet& cores, Words args,
                                        bool writes) {
    KernelDescriptor kernel{
        .kernel_source = PackagedOperator::kernel(std::string(kFolder) + "dataflow/" + name),
        .core_ranges = cores,
        .compile_time_args = std::move(args),
        .named_compile_time_args = {{"cb_in0", kIn0},
                                    {"cb_in1", kIn1},
                                    {"cb_bias", kBias},
                                    {"cb_out", kOut},
                                    {"cb_sparsity", kSparsity},
                                    {"num_active", 0}}};
    if (writes) {
      kernel.config = WriterConfigDescriptor{};
    } else {
      kernel.config = ReaderConfigDescriptor{};
    }
    return kernel;
  }

  static Words in0_sender_args(const Product& p, const Tensors& tensors, uint32_t receivers) {
    Words args = {1, p.kt(), p.block_inner, p.block_height * p.kt()};
    args.insert(args.end(),
                {p.block_inner, p.block_height, p.block_inner * p.block_height, p.inner % 32, 0});
    args.insert(args.end(), {0, 0, 0});  // not sharded
    args.insert(args.end(), {p.inner_blocks(), p.blocks_across, p.blocks_down});
    args.insert(args.end(), {kIn0Ready, kIn0Valid, receivers, receivers});
    args.insert(args.end(), {p.mt() * p.kt(), p.batches, p.batches, 0});
    args.insert(args.end(), {0, 0, 1, 0, 0});  // nothing sparse, nothing fused
    append_accessor(args, tensors.in0);
    append_no_accessor(args);
    args.push_back(p.batches);
    return args;
  }
  static Words in0_receiver_args(const Product& p) {
    return {p.block_inner * p.block_height,
            p.inner_blocks(),
            p.blocks_across,
            p.blocks_down,
            kIn0Ready,
            kIn0Valid,
            p.batches,
            0};
  }

  // How the tiles of the result lie, for both kernels that write them.
  static Words out_args(const Product& p) {
    return {1,
            p.nt(),
            p.subblock_width,
            p.subblock_height * p.nt(),
            p.block_width,
            p.block_height * p.nt(),
            p.subblock_width,
            p.subblock_height,
            p.subblock_width * p.subblock_height,
            p.mt() * p.nt()};
  }
  static Words in1_sender_args(const Product& p, const Tensors& tensors, uint32_t receivers) {
    Words args = {1, p.nt(), p.block_inner * p.nt(), p.block_width};
    args.insert(args.end(), {p.block_width, p.block_inner, p.block_width * p.block_inner});
    args.insert(args.end(), {p.inner_blocks(), p.blocks_across, p.blocks_down});
    args.insert(args.end(), {kIn1Ready, kIn1Valid, receivers, receivers});
    args.insert(args.end(), {p.kt() * p.nt(), p.batches, 0, 0, 0});
    const Words out = out_args(p);
    args.insert(args.end(), out.begin(), out.end());
    args.insert(args.end(), {1, 0, 0, 0});  // stride of the bias; nothing fused
    append_accessor(args, tensors.in1);
    append_no_accessor(args);
    append_accessor(args, tensors.out);
    append_accessor(args, tensors.bias);
    return args;
  }
  static Words in1_receiver_args(const Product& p, const Tensors& tensors) {
    Words args = {p.block_width * p.block_inner,
                  p.inner_blocks(),
                  p.blocks_across,
                  p.blocks_down,
                  kIn1Ready,
                  kIn1Valid,
                  p.batches};
    const Words out = out_args(p);
    args.insert(args.end(), out.begin(), out.end());
    args.insert(args.end(), {p.block_width, 0});
    append_accessor(args, tensors.out);
    return args;
  }

  static KernelDescriptor compute(const Product& p) {
    const uint32_t subblock = p.subblock_height * p.subblock_width;
    return {.kernel_source = PackagedOperator::kernel(
                std::string(kFolder) + "compute/bmm_large_block_zm_fused_bias_activation.cpp"),
            .core_ranges = kGrid,
            .compile_time_args = {p.block_inner, p.block_height / p.subblock_height,
                                  p.block_height * p.block_inner, p.subblock_height * p.block_inner,
                                  p.block_width / p.subblock_width, p.block_width * p.block_inner,
                                  p.block_width, p.inner_blocks(), p.blocks_across, p.blocks_down,
                                  p.subblock_height, p.subblock_width, subblock, p.batches,
                                  p.block_height * p.block_width, 0, 0, 0, 1},
            .named_compile_time_args = {{"cb_in0", kIn0},
                                        {"cb_in0_transposed", kIn0},
                                        {"cb_in1", kIn1},
                                        {"cb_bias", kBias},
                                        {"cb_out", kOut},
                                        {"cb_intermed0", kPartials},
                                        {"bias_ntiles", p.block_width}},
            .config = ComputeConfigDescriptor{}};
  }

  // The corners of the cores from `first` to `last` as the kernels take them: a multicast by the
  // second NoC, on which BRISC's kernels are, begins at the last.
  static Words corners(distributed::MeshDevice& mesh, CoreCoord first, CoreCoord last,
                       bool second_noc) {
    CoreCoord from = mesh.worker_core_from_logical_core(first);
    CoreCoord to = mesh.worker_core_from_logical_core(last);
    if (second_noc) std::swap(from, to);
    return {static_cast<uint32_t>(from.x), static_cast<uint32_t>(from.y),
            static_cast<uint32_t>(to.x), static_cast<uint32_t>(to.y)};
  }
  static Words place(distributed::MeshDevice& mesh, CoreCoord core) {
    const CoreCoord noc = mesh.worker_core_from_logical_core(core);
    return {static_cast<uint32_t>(noc.x), static_cast<uint32_t>(noc.y)};
  }

  // The first matrix: its sender is the first core of the row, or the first of all; then the
  // rectangle of a multicast has the sender in it, too, which it leaves out.
  static void add_in0(distributed::MeshDevice& mesh, ProgramDescriptor& program, const Product& p,
                      const Tensors& tensors) {
    const uint32_t receivers = p.two_dimensions ? kGridWidth - 1 : kCores - 1;
    const CoreRange senders({0, 0}, {0, p.two_dimensions ? kGridHeight - 1 : 0});
    KernelDescriptor send = data_movement("reader_bmm_tile_layout_in0_sender_padding.cpp", senders,
                                          in0_sender_args(p, tensors, receivers), false);
    KernelDescriptor receive = data_movement("reader_bmm_tile_layout_in0_receiver.cpp",
                                             CoreRangeSet(kGrid).subtract(CoreRangeSet(senders)),
                                             in0_receiver_args(p), false);
    for (const CoreCoord core : kGrid) {
      if (!senders.contains(core)) {
        receive.emplace_runtime_args(
            core, KernelDescriptor::RTArgList(list(
                      place(mesh, p.two_dimensions ? CoreCoord(0, core.y) : CoreCoord(0, 0)))));
        continue;
      }
      const Fit rows = rows_of(p, core);
      KernelDescriptor::RTArgList args;
      args.push_back(address_of(tensors.in0));
      args.push_back(rows.start * p.kt());
      args.append(p.two_dimensions ? corners(mesh, {1, core.y}, {kGridWidth - 1, core.y}, false)
                                   : corners(mesh, kGrid.start_coord, kGrid.end_coord, false));
      args.append({rows.last_block, 0});
      send.emplace_runtime_args(core, args);
    }
    program.kernels.push_back(send);
    program.kernels.push_back(receive);
  }
  static KernelDescriptor::RTArgList list(const Words& words) {
    KernelDescriptor::RTArgList args;
    args.append(words);
    return args;
  }

  // The second matrix, and the result.
  static void add_in1(distributed::MeshDevice& mesh, ProgramDescriptor& program, const Product& p,
                      const Tensors& tensors) {
    const CoreRange senders =
        p.two_dimensions ? CoreRange({0, 0}, {kGridWidth - 1, 0}) : CoreRange(kGrid);
    KernelDescriptor send =
        data_movement("reader_bmm_tile_layout_in1_sender_writer_padding.cpp", senders,
                      in1_sender_args(p, tensors, kGridHeight - 1), true);
    if (!p.two_dimensions) send.defines.emplace_back("SKIP_MCAST", "1");
    KernelDescriptor receive = data_movement(
        "reader_bmm_tile_layout_in1_receiver_writer_padding.cpp",
        CoreRangeSet(kGrid).subtract(CoreRangeSet(senders)), in1_receiver_args(p, tensors), true);
    for (const CoreCoord core : kGrid) {
      const Fit rows = rows_of(p, core), columns = columns_of(p, core);
      const bool sends = senders.contains(core);
      KernelDescriptor::RTArgList args;
      if (sends) {
        args.push_back(address_of(tensors.in1));
        args.push_back(columns.start);
        args.append(corners(mesh, {core.x, 1}, {core.x, kGridHeight - 1}, true));
        args.push_back(0u);  // nothing sparse
      } else {
        args.append(place(mesh, {core.x, 0}));
      }
      args.push_back(address_of(tensors.out));
      args.push_back(rows.start * p.nt() + columns.start);
      if (sends) args.push_back(columns.last_block);
      append_fit(args, p, rows, columns, sends);
      if (sends) {
        args.push_back(address_of(tensors.bias));
        args.push_back(columns.start);
      } else {
        args.push_back(rows.used_blocks);
      }
      args.push_back(columns.used_blocks);
      (sends ? send : receive).emplace_runtime_args(core, args);
    }
    program.kernels.push_back(send);
    if (p.two_dimensions) program.kernels.push_back(receive);
  }

  // What of the last blocks is written, and what is only taken out of the circular buffer.
  static void append_fit(KernelDescriptor::RTArgList& args, const Product& p, const Fit& rows,
                         const Fit& columns, bool sends) {
    const uint32_t subblock = p.subblock_height * p.subblock_width;
    if (sends) {
      args.push_back(rows.last_subblocks);
    } else {
      args.append({rows.subblocks, rows.last_subblocks});
    }
    args.append({rows.last_subblock,
                 (rows.subblocks - rows.last_subblocks) * subblock * columns.subblocks});
    args.append({columns.subblocks, columns.last_subblocks, columns.last_subblock,
                 (p.subblock_width - columns.last_subblock) * kTileBytes,
                 (columns.subblocks - columns.last_subblocks) * subblock});
  }

  static ProgramDescriptor multiplying(distributed::MeshDevice& mesh, const Product& p,
                                       const Tensors& tensors) {
    ProgramDescriptor program;
    add_in0(mesh, program, p, tensors);
    add_in1(mesh, program, p, tensors);
    program.kernels.push_back(compute(p));
    if (p.bias_and_relu) {
      for (KernelDescriptor& kernel : program.kernels)
        kernel.defines.emplace_back("FUSE_BIAS", "1");
      program.kernels.back().defines.emplace_back("PACK_RELU", "1");
      program.kernels.back().defines.emplace_back("PACKER_L1_ACC", "1");
    }
    for (const uint32_t id : {kIn0Ready, kIn0Valid, kIn1Ready, kIn1Valid}) {
      program.semaphores.push_back({.id = id, .core_ranges = kGrid});
    }
    const CoreRangeSet cores(kGrid);
    const uint32_t block = p.block_height * p.block_width;
    program.cbs = {tiles_in(kIn0, 2 * p.block_height * p.block_inner, cores),
                   tiles_in(kIn1, 2 * p.block_width * p.block_inner, cores),
                   tiles_in(kBias, p.block_width, cores),
                   tiles_in(kOut, block, cores),
                   tiles_in(kPartials, block, cores),
                   tiles_in(kSparsity, 1, cores)};
    return program;
  }

  // Of matrices whose inner dimension is filled up to whole tiles.
  static std::vector<double> reference(const Product& p, const std::vector<float>& a,
                                       const std::vector<float>& b,
                                       const std::vector<float>& bias) {
    const uint32_t filled = p.kt() * 32;
    std::vector<double> result(p.batches * p.rows * p.columns);
    for (uint32_t i = 0; i < result.size(); ++i) {
      const uint32_t row = i / p.columns, column = i % p.columns, batch = row / p.rows;
      double sum = p.bias_and_relu ? bias[column] : 0;
      for (uint32_t k = 0; k < p.inner; ++k) {
        sum +=
            static_cast<double>(a[row * filled + k]) * b[(batch * filled + k) * p.columns + column];
      }
      result[i] = p.bias_and_relu ? std::max(sum, 0.0) : sum;
    }
    return result;
  }

  // What fills the inner dimension up are numbers, too, which must not count.
  static void expect_multiplies(const Product& p) {
    const uint32_t filled = p.kt() * 32;
    const auto a = random_values(p.batches * p.rows * filled, 1);
    const auto b = random_values(p.batches * filled * p.columns, 2);
    const auto bias = random_values(p.columns, 3, -4, 4);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const MeshTensor in0 = upload(mesh, a, spec_of(Shape({p.batches, p.rows, filled})));
      const MeshTensor in1 = upload(mesh, b, spec_of(Shape({p.batches, filled, p.columns})));
      const MeshTensor row = upload(mesh, bias, spec_of(Shape({1, p.columns})));
      const MeshTensor out =
          MeshTensor::allocate_on_device(mesh, spec_of(Shape({p.batches, p.rows, p.columns})));
      run_described(mesh, multiplying(mesh, p, {in0, in1, row, out}));
      return download(mesh, out);
    };
    // Sums below 16 are rounded to bfloat16 after each block of the inner dimension, there by at
    // most 2^-5, and once more in the result.
    expect_computes(
        program, reference(p, a, b, bias),
        {.correlation = 0.9999, .absolute = p.inner_blocks() / 32.0, .relative = 1.0 / 256});
  }
};

TEST_F(MatmulMulticast, InTwoDimensionsWithMatricesThatFillNoBlock) {
  expect_multiplies({.two_dimensions = true,
                     .batches = 2,
                     .rows = 5 * 32 - 7,
                     .inner = 4 * 32 - 8,
                     .columns = 11 * 32 - 1,
                     .block_height = 3,
                     .block_width = 4,
                     .blocks_down = 1,
                     .blocks_across = 1,
                     .block_inner = 2,
                     .subblock_height = 1,
                     .subblock_width = 2,
                     .bias_and_relu = false});
}

TEST_F(MatmulMulticast, InTwoDimensionsWithSeveralBlocksForEachCoreAndABias) {
  expect_multiplies({.two_dimensions = true,
                     .batches = 1,
                     .rows = 7 * 32,
                     .inner = 6 * 32,
                     .columns = 11 * 32,
                     .block_height = 2,
                     .block_width = 2,
                     .blocks_down = 2,
                     .blocks_across = 2,
                     .block_inner = 2,
                     .subblock_height = 2,
                     .subblock_width = 1,
                     .bias_and_relu = true});
}

TEST_F(MatmulMulticast, InOneDimensionWithTheFirstMatrixForAllCores) {
  expect_multiplies({.two_dimensions = false,
                     .batches = 2,
                     .rows = 2 * 32,
                     .inner = 6 * 32,
                     .columns = 11 * 32,
                     .block_height = 2,
                     .block_width = 2,
                     .blocks_down = 1,
                     .blocks_across = 1,
                     .block_inner = 2,
                     .subblock_height = 2,
                     .subblock_width = 2,
                     .bias_and_relu = true});
}

}  // namespace
}  // namespace lightmetal::testing::matmul_multicast
