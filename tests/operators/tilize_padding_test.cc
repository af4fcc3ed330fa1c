// Rows become tiles, and what fills the tiles up becomes a value of the caller's choice; tiles
// become rows again without what fills them up. The first core does two of three matrices, the
// second core one.
#include <array>
#include <optional>
#include <tt-metalium/bfloat16.hpp>

#include "tests/operators/specified_program.h"

namespace lightmetal::testing::tilize_padding {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

// Each matrix takes three rows of tiles: one whole, one in part, one with nothing of the matrix.
constexpr uint32_t kBatches = 3, kRows = 50, kColumns = 90;
constexpr uint32_t kPaddedRows = 96, kPaddedColumns = 128;
constexpr uint32_t kWholeTileRows = 1, kRowsOfPart = kRows - 32, kEmptyTileRows = 1;
constexpr uint32_t kTileRows = kPaddedRows / 32, kTilesPerRow = kPaddedColumns / 32;
constexpr uint32_t kElement = 2;  // bytes
constexpr std::array<uint32_t, 2> kBatchesOfCore = {2, 1};

const KernelSpecName kRead{"read"}, kWrite{"write"};
const std::array<KernelSpecName, 2> kCompute = {KernelSpecName{"compute_2"},
                                                KernelSpecName{"compute_1"}};
const DFBSpecName kIn{"in"}, kOut{"out"};
const TensorParamName kSource{"source"}, kResult{"result"};

class TilizePadding : public PackagedOperator {
 protected:
  // One compute kernel for each core, since the number of blocks is a constant of the kernel.
  static void add_compute(ProgramSpec& spec, const std::string& source, const std::string& in) {
    for (uint32_t core = 0; core < kBatchesOfCore.size(); ++core) {
      spec.kernels.push_back(
          {.unique_id = kCompute[core],
           .source = kernel(source),
           .dfb_bindings = {ConsumerOf(kIn, in), ProducerOf(kOut, "out")},
           .compile_time_args = {{"per_core_block_cnt", kBatchesOfCore[core] * kTileRows},
                                 {"per_core_block_tile_cnt", kTilesPerRow}},
           .hw_config = ComputeHardwareConfig{}});
      spec.work_units.push_back({.name = "core_" + std::to_string(core),
                                 .kernels = {kRead, kWrite, kCompute[core]},
                                 .target_nodes = NodeCoord{core, 0}});
    }
  }

  static ProgramSpec program(KernelSpec read, KernelSpec write, const TensorSpec& source,
                             const TensorSpec& result) {
    return {.name = "tilize_padding",
            .kernels = {std::move(read), std::move(write)},
            .dataflow_buffers = {entries_in(kIn, kTilesPerRow), entries_in(kOut, kTilesPerRow)},
            .tensor_parameters = {{.unique_id = kSource, .spec = source},
                                  {.unique_id = kResult, .spec = result}}};
  }

  // What the kernels of rows know of the matrices of a core: one form of matrix, so many times.
  static std::vector<uint32_t> matrices(uint32_t core) {
    return {kWholeTileRows, kRowsOfPart, kEmptyTileRows, 1, kBatchesOfCore[core]};
  }
  static uint32_t first_batch(uint32_t core) { return core == 0 ? 0 : kBatchesOfCore[0]; }

  static ProgramSpec tilizing(const TensorSpec& source, const TensorSpec& result) {
    KernelSpec read{
        .unique_id = kRead,
        .source = kernel("operations/data_movement/tilize_with_val_padding/device/kernels/dataflow/"
                         "reader_unary_pad_dims_split_rows_multicore.cpp"),
        .dfb_bindings = {ProducerOf(kIn, "in0")},
        .tensor_bindings = {{kSource, "src"}},
        .compile_time_args = {{"tile_row_shift_bits", 6},  // of the 64 bytes of a row of a tile
                              {"unpadded_X_size", kColumns * kElement},
                              {"elem_size", kElement},
                              {"num_pages_in_row", 1},
                              {"page_size", kColumns * kElement},
                              {"size_of_valid_data_in_last_page_in_row", kColumns * kElement}},
        .runtime_arg_schema = {.runtime_arg_names = {"padded_X_size", "pad_value", "start_page_id",
                                                     "n_block_reps"}},
        .hw_config = CreateReaderGen1DataMovementConfig()};
    read.advanced_options.num_runtime_varargs = 5;
    KernelSpec write{.unique_id = kWrite,
                     .source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                                      "writer_unary_interleaved_start_id_metal2.cpp"),
                     .dfb_bindings = {ConsumerOf(kOut, "out")},
                     .tensor_bindings = {{kResult, "dst"}},
                     .runtime_arg_schema = {.runtime_arg_names = {"num_pages", "start_id"}},
                     .hw_config = CreateWriterGen1DataMovementConfig()};
    ProgramSpec spec = program(std::move(read), std::move(write), source, result);
    add_compute(spec, "kernel/compute/tilize_metal2.cpp", "in");
    return spec;
  }

  static Group<KernelRunArgs> tilizing_args(float padding) {
    KernelRunArgs read{.kernel = kRead}, write{.kernel = kWrite};
    for (uint32_t core = 0; core < kBatchesOfCore.size(); ++core) {
      const NodeCoord node{core, 0};
      AddRuntimeArgsForNode(read.runtime_arg_values, node,
                            {{"padded_X_size", kPaddedColumns * kElement},
                             {"pad_value", bfloat16(padding).to_uint16()},
                             {"start_page_id", first_batch(core) * kRows},
                             {"n_block_reps", kBatchesOfCore[core]}});
      read.advanced_options.runtime_varargs[node] = matrices(core);
      add_tiles(write, core);
    }
    return {read, write};
  }
  static void add_tiles(KernelRunArgs& args, uint32_t core) {
    constexpr uint32_t kTiles = kTileRows * kTilesPerRow;
    AddRuntimeArgsForNode(
        args.runtime_arg_values, NodeCoord{core, 0},
        {{"num_pages", kBatchesOfCore[core] * kTiles}, {"start_id", first_batch(core) * kTiles}});
  }

  static ProgramSpec untilizing(const TensorSpec& source, const TensorSpec& result) {
    KernelSpec read{.unique_id = kRead,
                    .source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                                     "reader_unary_interleaved_start_id_metal2.cpp"),
                    .dfb_bindings = {ProducerOf(kIn, "in")},
                    .tensor_bindings = {{kSource, "src"}},
                    .runtime_arg_schema = {.runtime_arg_names = {"num_pages", "start_id"}},
                    .hw_config = CreateReaderGen1DataMovementConfig()};
    KernelSpec write{
        .unique_id = kWrite,
        .source = kernel("operations/data_movement/untilize_with_unpadding/device/kernels/dataflow/"
                         "writer_unary_stick_layout_split_rows_multicore.cpp"),
        .dfb_bindings = {ConsumerOf(kOut, "out")},
        .tensor_bindings = {{kResult, "dst"}},
        .compile_time_args = {{"float32_dtype", 0}, {"unpadded_X_size", kColumns * kElement}},
        .runtime_arg_schema = {.runtime_arg_names = {"padded_X_size", "start_stick_id",
                                                     "n_block_reps"}},
        .hw_config = CreateWriterGen1DataMovementConfig()};
    write.advanced_options.num_runtime_varargs = 5;
    ProgramSpec spec = program(std::move(read), std::move(write), source, result);
    add_compute(spec,
                "operations/data_movement/untilize/device/kernels/compute/untilize_metal2.cpp",
                "src");
    return spec;
  }

  static Group<KernelRunArgs> untilizing_args() {
    KernelRunArgs read{.kernel = kRead}, write{.kernel = kWrite};
    for (uint32_t core = 0; core < kBatchesOfCore.size(); ++core) {
      const NodeCoord node{core, 0};
      add_tiles(read, core);
      AddRuntimeArgsForNode(write.runtime_arg_values, node,
                            {{"padded_X_size", kPaddedColumns * kElement},
                             {"start_stick_id", first_batch(core) * kRows},
                             {"n_block_reps", kBatchesOfCore[core]}});
      write.advanced_options.runtime_varargs[node] = matrices(core);
    }
    return {read, write};
  }

  // The element of the matrices that is number i of the padded ones; nothing where there is none.
  static std::optional<uint32_t> within(uint32_t i) {
    const uint32_t column = i % kPaddedColumns, row = i / kPaddedColumns % kPaddedRows,
                   batch = i / kPaddedColumns / kPaddedRows;
    if (row >= kRows || column >= kColumns) return std::nullopt;
    return (batch * kRows + row) * kColumns + column;
  }

  const TensorSpec rows_ =
      spec_of(Shape({kBatches, kRows, kColumns}), DataType::BFLOAT16, Layout::ROW_MAJOR);
  const TensorSpec tiles_ = spec_of(Shape({kBatches, kPaddedRows, kPaddedColumns}));
  static constexpr uint32_t kPadded = kBatches * kPaddedRows * kPaddedColumns;
};

TEST_F(TilizePadding, FillsTilesUpWithTheValue) {
  constexpr float kPadding = -7.5f;
  const auto values = random_values(kBatches * kRows * kColumns, 1);
  std::vector<double> expected(kPadded);
  for (uint32_t i = 0; i < kPadded; ++i) expected[i] = within(i) ? values[*within(i)] : kPadding;
  const auto program = [&](distributed::MeshDevice& mesh) {
    const MeshTensor source = upload(mesh, values, rows_);
    const MeshTensor result = MeshTensor::allocate_on_device(mesh, tiles_);
    run_specified(mesh, tilizing(rows_, tiles_),
                  {.kernel_run_args = tilizing_args(kPadding),
                   .tensor_args = {{kSource, source}, {kResult, result}}});
    return download(mesh, result);
  };
  expect_computes(program, expected, kEqual);
}

TEST_F(TilizePadding, LeavesOutWhatFillsTilesUp) {
  const auto values = random_values(kPadded, 2);
  std::vector<double> expected(kBatches * kRows * kColumns);
  for (uint32_t i = 0; i < kPadded; ++i) {
    if (const auto place = within(i)) expected[*place] = values[i];
  }
  const auto program = [&](distributed::MeshDevice& mesh) {
    const MeshTensor source = upload(mesh, values, tiles_);
    const MeshTensor result = MeshTensor::allocate_on_device(mesh, rows_);
    run_specified(mesh, untilizing(tiles_, rows_),
                  {.kernel_run_args = untilizing_args(),
                   .tensor_args = {{kSource, source}, {kResult, result}}});
    return download(mesh, result);
  };
  expect_computes(program, expected, kEqual);
}

}  // namespace
}  // namespace lightmetal::testing::tilize_padding
