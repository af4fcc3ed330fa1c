// Concatenation of tiles whose rows are filled up: a compute kernel makes rows of a row of tiles,
// the writer moves them together, the compute kernel makes tiles of them again, and the writer
// writes those. A unit of work is a row of tiles.
#include <numeric>

#include "tests/operators/described_program.h"
#include "tests/operators/packaged_operator.h"

namespace lightmetal::testing::concat_padded {
namespace {

using namespace tt::tt_metal;

constexpr char kFolder[] = "operations/data_movement/concat/device/kernels/";
constexpr uint32_t kBatches = 3, kRows = 50, kTileRowsPerBatch = 2;
constexpr uint32_t kCores = 2, kTileRowsPerCore = kBatches * kTileRowsPerBatch / kCores;
enum Index : uint8_t { kIn = 0, kRowMajor = 1, kJoined = 2, kOut = 16 };
const CoreRange kCoreRange({0, 0}, {kCores - 1, 0});

uint32_t sum(const Words& words) { return std::accumulate(words.begin(), words.end(), 0u); }

// Rows of the inputs, joined.
struct Widths {
  Words of_inputs;  // in elements
  DataType type;

  bool is_float32() const { return type == DataType::FLOAT32; }
  tt::DataFormat format() const {
    return is_float32() ? tt::DataFormat::Float32 : tt::DataFormat::Float16_b;
  }
  uint32_t element() const { return is_float32() ? 4 : 2; }  // bytes
  static uint32_t in_tiles(uint32_t width) { return (width + 31) / 32; }
  Words tiles() const {
    Words tiles;
    for (const uint32_t width : of_inputs) tiles.push_back(in_tiles(width));
    return tiles;
  }
  Words bytes() const {
    Words bytes;
    for (const uint32_t width : of_inputs) bytes.push_back(width * element());
    return bytes;
  }
  uint32_t result_tiles() const { return in_tiles(sum(of_inputs)); }
  TensorSpec spec(uint32_t width) const { return spec_of(Shape({kBatches, kRows, width}), type); }
};

class ConcatPadded : public PackagedOperator {
 protected:
  using Inputs = std::vector<MeshTensor>;

  static KernelDescriptor reader(const Widths& widths, const Inputs& inputs) {
    KernelDescriptor reads{.kernel_source = kernel(std::string(kFolder) +
                                                   "dataflow/reader_concat_tiled_unaligned.cpp"),
                           .core_ranges = kCoreRange,
                           .compile_time_args = {kIn, static_cast<uint32_t>(inputs.size())},
                           .config = ReaderConfigDescriptor{}};
    for (const MeshTensor& input : inputs) append_accessor(reads.compile_time_args, input);
    for (uint32_t core = 0; core < kCores; ++core) {
      KernelDescriptor::RTArgList args;
      args.append({kTileRowsPerCore, core * kTileRowsPerCore});
      for (const MeshTensor& input : inputs) args.push_back(address_of(input));
      args.append(widths.tiles());
      reads.emplace_runtime_args({core, 0}, args);
    }
    return reads;
  }

  static KernelDescriptor compute(const Widths& widths) {
    ComputeConfigDescriptor config{.fp32_dest_acc_en = widths.is_float32()};
    if (widths.is_float32()) {
      config.unpack_to_dest_mode.resize(NUM_CIRCULAR_BUFFERS, UnpackToDestMode::Default);
      config.unpack_to_dest_mode[kIn] = UnpackToDestMode::UnpackToDestFp32;
      config.unpack_to_dest_mode[kJoined] = UnpackToDestMode::UnpackToDestFp32;
    }
    KernelDescriptor computes{
        .kernel_source = kernel(std::string(kFolder) + "compute/concat_untilize_retilize.cpp"),
        .core_ranges = kCoreRange,
        .compile_time_args = {kIn, kRowMajor, kJoined, kOut, sum(widths.tiles()),
                              widths.result_tiles(), widths.is_float32()},
        .config = config};
    for (uint32_t core = 0; core < kCores; ++core) {
      computes.emplace_runtime_args({core, 0}, {kTileRowsPerCore});
    }
    return computes;
  }

  static KernelDescriptor writer(const Widths& widths, const MeshTensor& result) {
    const uint32_t tile_row = 32 * widths.element(), row = widths.result_tiles() * tile_row;
    KernelDescriptor writes{
        .kernel_source =
            kernel(std::string(kFolder) + "dataflow/writer_concat_tiled_unaligned.cpp"),
        .core_ranges = kCoreRange,
        .compile_time_args = {kRowMajor, kJoined, kOut,
                              static_cast<uint32_t>(widths.of_inputs.size()), widths.result_tiles(),
                              sum(widths.tiles()), tile_row, row, row - sum(widths.bytes())},
        .config = WriterConfigDescriptor{}};
    append_accessor(writes.compile_time_args, result);
    for (uint32_t core = 0; core < kCores; ++core) {
      KernelDescriptor::RTArgList args;
      args.push_back(address_of(result));
      args.append({kTileRowsPerCore, core * kTileRowsPerCore});
      args.append(widths.tiles());
      args.append(widths.bytes());
      writes.emplace_runtime_args({core, 0}, args);
    }
    return writes;
  }

  static ProgramDescriptor joining(const Widths& widths, const Inputs& inputs,
                                   const MeshTensor& result) {
    const auto tiles = [&](Index index, uint32_t count) {
      return pages_in(index, count, tt::tile_size(widths.format()), CoreRangeSet(kCoreRange),
                      widths.format());
    };
    const uint32_t in = sum(widths.tiles()), out = widths.result_tiles();
    return {.kernels = {reader(widths, inputs), compute(widths), writer(widths, result)},
            .cbs = {tiles(kIn, 2 * in), tiles(kRowMajor, in), tiles(kJoined, out),
                    tiles(kOut, 2 * out)}};
  }

  static std::vector<double> joined(const Widths& widths,
                                    const std::vector<std::vector<float>>& values) {
    std::vector<double> result;
    for (uint32_t row = 0; row < kBatches * kRows; ++row) {
      for (size_t i = 0; i < values.size(); ++i) {
        const auto first = values[i].begin() + row * widths.of_inputs[i];
        result.insert(result.end(), first, first + widths.of_inputs[i]);
      }
    }
    return result;
  }

  static void expect_joins(const Widths& widths) {
    std::vector<std::vector<float>> values;
    for (const uint32_t width : widths.of_inputs) {
      values.push_back(
          random_values(kBatches * kRows * width, static_cast<uint32_t>(values.size())));
      if (!widths.is_float32()) continue;
      for (float& value : values.back()) value *= 1.1F;  // which bfloat16 does not hold
    }
    const auto program = [&](distributed::MeshDevice& mesh) {
      Inputs inputs;
      for (size_t i = 0; i < values.size(); ++i) {
        inputs.push_back(upload(mesh, values[i], widths.spec(widths.of_inputs[i])));
      }
      const MeshTensor result =
          MeshTensor::allocate_on_device(mesh, widths.spec(sum(widths.of_inputs)));
      run_described(mesh, joining(widths, inputs, result));
      return download(mesh, result);
    };
    expect_computes(program, joined(widths, values), kEqual);
  }
};

TEST_F(ConcatPadded, JoinsRows) { expect_joins({{50, 7, 64}, DataType::BFLOAT16}); }

TEST_F(ConcatPadded, JoinsRowsThatFillTilesTogether) {
  expect_joins({{33, 31}, DataType::BFLOAT16});
}

TEST_F(ConcatPadded, JoinsRowsOfSingles) { expect_joins({{20, 45, 1, 90}, DataType::FLOAT32}); }

}  // namespace
}  // namespace lightmetal::testing::concat_padded
