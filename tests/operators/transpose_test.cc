// Transposes the last two dimensions: the reader takes the tiles of each batch column by column,
// the compute kernel transposes each.
#include <tt-metalium/experimental/metal2_host_api/program.hpp>

#include "tests/operators/packaged_operator.h"

namespace lightmetal::testing::transpose {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

constexpr uint32_t kBatches = 2, kRows = 96, kColumns = 64;
constexpr uint32_t kHt = kRows / 32, kWt = kColumns / 32;
constexpr char kFolder[] = "operations/data_movement/transpose/device/kernels/";

const KernelSpecName kRead{"read"}, kTranspose{"transpose"}, kWrite{"write"};
const DFBSpecName kIn{"in"}, kOut{"out"};
const TensorParamName kSource{"source"}, kResult{"result"};

DataflowBufferSpec two_tiles(const DFBSpecName& name) {
  return {.unique_id = name,
          .entry_size = 2048,
          .num_entries = 2,
          .data_format_metadata = tt::DataFormat::Float16_b};
}

// One batch for each of the nodes.
ProgramSpec transposing(const TensorSpec& source, const TensorSpec& result, const NodeRange& nodes,
                        const std::function<std::string(const std::string&)>& kernel) {
  const std::string folder = kFolder;
  const KernelSpec read{
      .unique_id = kRead,
      .source = kernel(folder + "dataflow/reader_unary_transpose_wh_interleaved_start_id.cpp"),
      .dfb_bindings = {ProducerOf(kIn, "in0")},
      .tensor_bindings = {{kSource, "src"}},
      .runtime_arg_schema = {.runtime_arg_names = {"num_tiles", "start_id", "start_ht", "start_wt",
                                                   "Ht", "Wt", "HtWt"}},
      .hw_config = CreateReaderGen1DataMovementConfig()};
  const KernelSpec transpose{.unique_id = kTranspose,
                             .source = kernel(folder + "compute/transpose_wh_metal2.cpp"),
                             .dfb_bindings = {ConsumerOf(kIn, "cb_in"), ProducerOf(kOut, "cb_out")},
                             .runtime_arg_schema = {.runtime_arg_names = {"NHtWt"}},
                             .hw_config = ComputeHardwareConfig{}};
  const KernelSpec write{.unique_id = kWrite,
                         .source = kernel("operations/eltwise/unary/device/kernels/dataflow/"
                                          "writer_unary_interleaved_start_id_metal2.cpp"),
                         .dfb_bindings = {ConsumerOf(kOut, "out")},
                         .tensor_bindings = {{kResult, "dst"}},
                         .runtime_arg_schema = {.runtime_arg_names = {"num_pages", "start_id"}},
                         .hw_config = CreateWriterGen1DataMovementConfig()};
  return {.name = "transpose",
          .kernels = {read, transpose, write},
          .dataflow_buffers = {two_tiles(kIn), two_tiles(kOut)},
          .tensor_parameters = {{.unique_id = kSource, .spec = source},
                                {.unique_id = kResult, .spec = result}},
          .work_units = {
              {.name = "all", .kernels = {kRead, kTranspose, kWrite}, .target_nodes = nodes}}};
}

Group<KernelRunArgs> one_batch_each() {
  KernelRunArgs read{.kernel = kRead}, transpose{.kernel = kTranspose}, write{.kernel = kWrite};
  for (uint32_t batch = 0; batch < kBatches; ++batch) {
    const NodeCoord node{batch, 0};
    AddRuntimeArgsForNode(read.runtime_arg_values, node,
                          {{"num_tiles", kHt * kWt},
                           {"start_id", batch * kHt * kWt},
                           {"start_ht", 0},
                           {"start_wt", 0},
                           {"Ht", kHt},
                           {"Wt", kWt},
                           {"HtWt", kHt * kWt}});
    AddRuntimeArgsForNode(transpose.runtime_arg_values, node, {{"NHtWt", kHt * kWt}});
    AddRuntimeArgsForNode(write.runtime_arg_values, node,
                          {{"num_pages", kHt * kWt}, {"start_id", batch * kHt * kWt}});
  }
  return {read, transpose, write};
}

class TransposeWh : public PackagedOperator {};

TEST_F(TransposeWh, ExchangesRowsAndColumnsOfEachBatch) {
  const auto values = random_values(kBatches * kRows * kColumns, 1);
  std::vector<double> expected(values.size());
  for (uint32_t i = 0; i < values.size(); ++i) {
    const uint32_t batch = i / (kRows * kColumns), row = i / kColumns % kRows,
                   column = i % kColumns;
    expected[(batch * kColumns + column) * kRows + row] = values[i];
  }
  const auto program = [&](distributed::MeshDevice& mesh) {
    const TensorSpec spec = spec_of(Shape({kBatches, kRows, kColumns}));
    const TensorSpec transposed = spec_of(Shape({kBatches, kColumns, kRows}));
    const MeshTensor source = upload(mesh, values, spec);
    const MeshTensor result = MeshTensor::allocate_on_device(mesh, transposed);
    distributed::MeshWorkload workload = MakeMeshWorkloadFromSpec(
        mesh, transposing(spec, transposed, NodeRange({0, 0}, {kBatches - 1, 0}), kernel));
    SetProgramRunArgs(workload.get_programs().begin()->second,
                      {.kernel_run_args = one_batch_each(),
                       .tensor_args = {{kSource, source}, {kResult, result}}});
    distributed::EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
    return download(mesh, result);
  };
  expect_computes(program, expected, kEqual);
}

}  // namespace
}  // namespace lightmetal::testing::transpose
