// Tiles of one height become tiles of another: the compute kernel makes rows of them, in a buffer
// that two dataflow buffers share, and tiles of the rows.
#include <tt-metalium/experimental/metal2_host_api/program.hpp>

#include "tests/operators/packaged_operator.h"
#include "tests/operators/specified_program.h"

namespace lightmetal::testing::retile {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kRows = 64, kColumns = 96, kTilesPerRow = kColumns / 32;

const KernelSpecName kRead{"read"}, kRetile{"retile"}, kWrite{"write"};
const DFBSpecName kIn{"in"}, kMid{"mid"}, kMidView{"mid_view"}, kOut{"out"};
const TensorParamName kSource{"source"}, kResult{"result"};

uint32_t size_of(const Tile& tile) { return tile.get_tile_size(tt::DataFormat::Float16_b); }

DataflowBufferSpec tiles_in(const DFBSpecName& name, const Tile& tile, uint32_t bytes) {
  DataflowBufferSpec spec = entries_in(name, bytes / size_of(tile), size_of(tile));
  spec.tile_format_metadata = tile;
  return spec;
}

TensorSpec tiled(const Tile& tile) {
  return TensorSpec(Shape({kRows, kColumns}),
                    TensorLayout(DataType::BFLOAT16, PageConfig(Layout::TILE, tile), {}));
}

ProgramSpec retiling(const Tile& from, const Tile& to,
                     const std::function<std::string(const std::string&)>& kernel) {
  const KernelSpec read{.unique_id = kRead,
                        .source = kernel("operations/data_movement/untilize/device/kernels/"
                                         "dataflow/reader_unary_start_id_metal2.cpp"),
                        .dfb_bindings = {ProducerOf(kIn, "in")},
                        .tensor_bindings = {{kSource, "src"}},
                        .runtime_arg_schema = {.runtime_arg_names = {"num_tiles", "start_id"}},
                        .hw_config = CreateReaderGen1DataMovementConfig()};
  const KernelSpec retile{
      .unique_id = kRetile,
      .source = kernel("operations/data_movement/tilize/device/kernels/compute/retile.cpp"),
      .dfb_bindings = {ConsumerOf(kIn, "src"), ProducerOf(kMid, "mid"), ConsumerOf(kMid, "mid"),
                       ProducerOf(kMidView, "mid_view"), ConsumerOf(kMidView, "mid_view"),
                       ProducerOf(kOut, "out")},
      .compile_time_args = {{"tiles_per_block", kTilesPerRow},
                            {"in_tile_height", from.get_height()},
                            {"out_tile_height", to.get_height()},
                            {"out_tile_size", size_of(to)},
                            {"mid_page_size", size_of(from)}},
      .runtime_arg_schema = {.runtime_arg_names = {"num_input_blocks", "num_real_input_rows",
                                                   "num_real_output_rows"}},
      .hw_config = ComputeHardwareConfig{}};
  const KernelSpec write{.unique_id = kWrite,
                         .source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                                          "writer_unary_interleaved_start_id_metal2.cpp"),
                         .dfb_bindings = {ConsumerOf(kOut, "out")},
                         .tensor_bindings = {{kResult, "dst"}},
                         .runtime_arg_schema = {.runtime_arg_names = {"num_pages", "start_id"}},
                         .hw_config = CreateWriterGen1DataMovementConfig()};
  const uint32_t block = kColumns * std::max(from.get_height(), to.get_height()) * 2;
  ProgramSpec spec{
      .name = "retile",
      .kernels = {read, retile, write},
      .dataflow_buffers = {tiles_in(kIn, from, 2 * kTilesPerRow * size_of(from)),
                           tiles_in(kMid, from, 2 * block), tiles_in(kMidView, to, 2 * block),
                           tiles_in(kOut, to, 2 * kTilesPerRow * size_of(to))},
      .tensor_parameters = {{.unique_id = kSource, .spec = tiled(from)},
                            {.unique_id = kResult, .spec = tiled(to)}},
      .work_units = {
          {.name = "all", .kernels = {kRead, kRetile, kWrite}, .target_nodes = NodeCoord{0, 0}}}};
  spec.dataflow_buffers[1].advanced_options.alias_with = {kMidView};
  spec.dataflow_buffers[2].advanced_options.alias_with = {kMid};
  return spec;
}

Group<KernelRunArgs> all_rows(const Tile& from, const Tile& to) {
  const NodeCoord node{0, 0};
  const uint32_t in = kRows / from.get_height(), out = kRows / to.get_height();
  KernelRunArgs read{.kernel = kRead}, retile{.kernel = kRetile}, write{.kernel = kWrite};
  AddRuntimeArgsForNode(read.runtime_arg_values, node,
                        {{"num_tiles", in * kTilesPerRow}, {"start_id", 0}});
  AddRuntimeArgsForNode(
      retile.runtime_arg_values, node,
      {{"num_input_blocks", in}, {"num_real_input_rows", in}, {"num_real_output_rows", out}});
  AddRuntimeArgsForNode(write.runtime_arg_values, node,
                        {{"num_pages", out * kTilesPerRow}, {"start_id", 0}});
  return {read, retile, write};
}

class Retile : public PackagedOperator {
 protected:
  static void expect_moved(const Tile& from, const Tile& to) {
    const auto values = random_values(kRows * kColumns, 1);
    const auto program = [&](distributed::MeshDevice& mesh) {
      const MeshTensor source = upload(mesh, values, tiled(from));
      const MeshTensor result = MeshTensor::allocate_on_device(mesh, tiled(to));
      run_specified(mesh, retiling(from, to, kernel),
                    {.kernel_run_args = all_rows(from, to),
                     .tensor_args = {{kSource, source}, {kResult, result}}});
      return download(mesh, result);
    };
    expect_computes(program, {values.begin(), values.end()},
                    {.correlation = 1, .absolute = 0, .relative = 0});
  }
};

TEST_F(Retile, MakesTilesOfFewerRows) { expect_moved(Tile({32, 32}), Tile({16, 32})); }

TEST_F(Retile, MakesTilesOfMoreRows) { expect_moved(Tile({8, 32}), Tile({32, 32})); }

}  // namespace
}  // namespace lightmetal::testing::retile
