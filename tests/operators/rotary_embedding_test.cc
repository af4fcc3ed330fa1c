// Rotary position embedding, in which the second half of a row turns against the first: the first
// half of the result is x1 cos - x2 sin, the second is x2 cos + x1 sin. With a position for each
// row, or with one for all. Halves are whole tiles, or a matrix product exchanges those of one
// tile. A unit of work is a row of tiles.
#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"

namespace lightmetal::testing::rotary_embedding {
namespace {

using namespace tt::tt_metal;

constexpr char kFolder[] = "operations/experimental/transformer/rotary_embedding/device/kernels/";
constexpr uint32_t kCores = 2;
constexpr uint16_t kMinusOne = 0xbf80;  // in bfloat16
enum Index : uint8_t {
  kIn,
  kRotated,
  kCos,
  kSin,
  kExchange,  // -1, or the matrix
  kOut = 16,
  kRotatedProduct = 24,
  kCosProduct,
  kSinProduct,
  // Rows of the tiles of cosines and sines, that of the position moved to the front, and what says
  // so; and tiles of them again.
  kCosRows,
  kCosMoved,
  kSinRows,
  kSinMoved,
  kCosAgain = 5,
  kSinAgain = 6
};
const CoreRange kCoreRange({0, 0}, {kCores - 1, 0});

struct Rotation {
  uint32_t heads, rows, width;
  int position = -1;  // of all rows; else each row of a head has its own

  bool decodes() const { return position >= 0; }
  bool is_single_tile() const { return width == 32; }
  uint32_t ht() const { return rows / 32; }
  uint32_t wt() const { return width / 32; }
  uint32_t rows_per_core() const { return heads * ht() / kCores; }
  uint32_t row_bytes() const { return width * 2; }
  uint32_t positions() const { return decodes() ? 96 : rows; }
};

class RotaryEmbedding : public PackagedOperator {
 protected:
  struct Tensors {
    const MeshTensor &in, &cos, &sin, &out;
  };

  static KernelDescriptor described(const Rotation& of, const std::string& name, Words args,
                                    KernelDescriptor::ConfigDescriptor config) {
    KernelDescriptor described{.kernel_source = kernel(kFolder + name),
                               .core_ranges = kCoreRange,
                               .compile_time_args = std::move(args),
                               .config = std::move(config)};
    if (of.decodes()) described.defines.emplace_back("DECODE_MODE", "1");
    return described;
  }

  static KernelDescriptor reader(const Rotation& of, const Tensors& tensors) {
    const uint32_t ht = of.ht(), wt = of.wt();
    const Words args = of.is_single_tile() ? Words{kIn, kCos, kSin, kExchange, ht, ht}
                                           : Words{kIn,       kRotated, kCos, kSin,    kExchange,
                                                   kMinusOne, ht,       wt,   ht * wt, wt / 2};
    KernelDescriptor reads =
        described(of,
                  of.is_single_tile()
                      ? "dataflow/reader_rotary_embedding_single_tile_interleaved_start_id.cpp"
                      : "dataflow/reader_rotary_embedding_interleaved_start_id.cpp",
                  args, ReaderConfigDescriptor{});
    for (const MeshTensor* tensor : {&tensors.in, &tensors.cos, &tensors.sin}) {
      append_accessor(reads.compile_time_args, *tensor);
    }
    for (uint32_t core = 0; core < kCores; ++core) {
      const uint32_t first = core * of.rows_per_core(), first_in_head = first % of.ht();
      const uint32_t tile_row = of.decodes() ? of.position / 32 : first_in_head;
      reads.emplace_runtime_args(
          {core, 0}, {address_of(tensors.in), address_of(tensors.cos), address_of(tensors.sin),
                      of.rows_per_core(), first * of.wt(), first_in_head, tile_row * of.wt()});
    }
    return reads;
  }

  static KernelDescriptor compute(const Rotation& of) {
    Words args = {kIn};
    if (!of.is_single_tile()) args.push_back(kRotated);
    args.insert(args.end(), {kCos, kSin, kExchange, kRotatedProduct, kCosProduct, kSinProduct, kOut,
                             of.rows_per_core()});
    if (!of.is_single_tile()) args.insert(args.end(), {of.wt(), of.wt() / 2, of.decodes()});
    if (of.decodes()) {
      args.insert(args.end(), {kCosRows, kCosMoved, kSinRows, kSinMoved, kCosAgain, kSinAgain});
    }
    return described(of,
                     of.is_single_tile() ? "compute/rotary_embedding_single_tile.cpp"
                                         : "compute/rotary_embedding.cpp",
                     args, ComputeConfigDescriptor{});
  }

  static KernelDescriptor writer(const Rotation& of, const Tensors& tensors) {
    KernelDescriptor writes =
        described(of, "dataflow/writer_rotary_embedding_interleaved_start_id.cpp", {kOut},
                  WriterConfigDescriptor{});
    append_accessor(writes.compile_time_args, tensors.out);
    if (of.decodes()) {
      writes.compile_time_args.insert(writes.compile_time_args.end(),
                                      {kCosRows, kCosMoved, kSinRows, kSinMoved});
    }
    for (uint32_t core = 0; core < kCores; ++core) {
      const uint32_t tiles = of.rows_per_core() * of.wt();
      KernelDescriptor::RTArgList args;
      args.push_back(address_of(tensors.out));
      args.append({tiles, core * tiles});
      if (of.decodes()) {
        args.append({of.position % 32 * of.row_bytes(), of.wt(), of.row_bytes()});
      }
      writes.emplace_runtime_args({core, 0}, args);
    }
    return writes;
  }

  static ProgramDescriptor rotating(const Rotation& of, const Tensors& tensors) {
    ProgramDescriptor program{.kernels = {reader(of, tensors), compute(of), writer(of, tensors)}};
    const auto add = [&](std::initializer_list<Index> indices, uint32_t tiles) {
      for (const Index index : indices) {
        program.cbs.push_back(tiles_in(index, tiles, CoreRangeSet(kCoreRange)));
      }
    };
    add({kExchange, kRotatedProduct, kCosProduct, kSinProduct}, 1);
    add({kIn, kRotated, kOut}, 2);
    add({kCos, kSin}, of.decodes() ? of.wt() : 2);
    if (of.decodes()) {
      add({kCosRows, kCosMoved, kSinRows, kSinMoved, kCosAgain, kSinAgain}, of.wt());
    }
    return program;
  }

  static std::vector<double> rotated(const Rotation& of, const std::vector<float>& x,
                                     const std::vector<float>& cos, const std::vector<float>& sin) {
    std::vector<double> result(x.size());
    const uint32_t half = of.width / 2;
    for (uint32_t i = 0; i < x.size(); ++i) {
      const uint32_t column = i % of.width, row = i / of.width % of.rows;
      const uint32_t angle = (of.decodes() ? of.position : row) * of.width + column;
      const double other = column < half ? -x[i + half] : x[i - half];
      result[i] = static_cast<double>(x[i]) * cos[angle] + other * sin[angle];
    }
    return result;
  }

  static void expect_rotates(const Rotation& of) {
    const auto x = random_values(of.heads * of.rows * of.width, 1);
    const auto cos = random_values(of.positions() * of.width, 2),
               sin = random_values(of.positions() * of.width, 3);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const TensorSpec spec = spec_of(Shape({1, of.heads, of.rows, of.width})),
                       angles = spec_of(Shape({1, 1, of.positions(), of.width}));
      const MeshTensor in = upload(mesh, x, spec), cosines = upload(mesh, cos, angles),
                       sines = upload(mesh, sin, angles);
      const MeshTensor out = MeshTensor::allocate_on_device(mesh, spec);
      run_described(mesh, rotating(of, {in, cosines, sines, out}));
      return download(mesh, out);
    };
    // Two products below 1 and a sum below 2, each rounded to the 8 bits of bfloat16.
    expect_computes(program, rotated(of, x, cos, sin),
                    {.correlation = 0.9999, .absolute = 1. / 128, .relative = 0});
  }
};

TEST_F(RotaryEmbedding, TurnsEachRowByItsPosition) { expect_rotates({3, 64, 128}); }

TEST_F(RotaryEmbedding, TurnsRowsOfTwoTiles) { expect_rotates({2, 96, 64}); }

TEST_F(RotaryEmbedding, TurnsRowsOfOneTile) { expect_rotates({3, 64, 32}); }

TEST_F(RotaryEmbedding, TurnsAllRowsByOnePosition) { expect_rotates({4, 32, 128, 45}); }

TEST_F(RotaryEmbedding, TurnsAllRowsOfOneTileByOnePosition) { expect_rotates({4, 32, 32, 77}); }

}  // namespace
}  // namespace lightmetal::testing::rotary_embedding
