// Adds matrices of bfloat16 on every core of the grid, by a program in the style of late 2026: a
// specification that names its kernels, buffers, tensors and arguments. The program runs twice, the
// second time with other tensors. Usage: add_tensors [--capture FILE]
#include <cstdint>
#include <iostream>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/tensor/host_tensor.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <vector>

#include "examples/common/example.h"
#include "examples/common/tiles.h"
#include "examples/common/work.h"

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

namespace {

constexpr uint32_t kRows = 512;
constexpr uint32_t kColumns = 640;
constexpr uint32_t kNumTiles = kRows * kColumns / tt::constants::TILE_HW;

const KernelSpecName kRead{"read_pairs"}, kAdd{"add"}, kWrite{"write"};
const DFBSpecName kPairsA{"pairs_a"}, kPairsB{"pairs_b"}, kSums{"sums"};
const TensorParamName kA{"a"}, kB{"b"}, kSum{"sum"};

TensorSpec matrix() {
  return TensorSpec(Shape({kRows, kColumns}), TensorLayout(DataType::BFLOAT16, Layout::TILE, {}));
}

// Whole numbers, whose sums bfloat16 holds exactly.
std::vector<bfloat16> numbers(uint32_t step) {
  std::vector<bfloat16> values;
  for (uint32_t i = 0; i < kRows * kColumns; ++i)
    values.emplace_back(static_cast<float>(i * step % 61));
  return values;
}

std::filesystem::path kernel(const char* name) {
  return example::kernel_path(std::string("add_tensors/kernels/") + name);
}

DataflowBufferSpec two_tiles(const DFBSpecName& name) {
  return {.unique_id = name,
          .entry_size = example::kTileBytes,
          .num_entries = 2,
          .data_format_metadata = tt::DataFormat::Float16_b};
}

// Each node reads its pairs of tiles, adds them and writes the sums.
ProgramSpec adding(const CoreRangeSet& nodes) {
  const KernelSpec read{.unique_id = kRead,
                        .source = kernel("read_pairs.cpp"),
                        .dfb_bindings = {ProducerOf(kPairsA, "a"), ProducerOf(kPairsB, "b")},
                        .tensor_bindings = {{kA, "a"}, {kB, "b"}},
                        .runtime_arg_schema = {.runtime_arg_names = {"first", "count"}},
                        .hw_config = CreateReaderGen1DataMovementConfig()};
  const KernelSpec add{.unique_id = kAdd,
                       .source = kernel("add.cpp"),
                       .dfb_bindings = {ConsumerOf(kPairsA, "a"), ConsumerOf(kPairsB, "b"),
                                        ProducerOf(kSums, "sums")},
                       .runtime_arg_schema = {.runtime_arg_names = {"count"}},
                       .hw_config = ComputeHardwareConfig{}};
  const KernelSpec write{.unique_id = kWrite,
                         .source = kernel("write.cpp"),
                         .dfb_bindings = {ConsumerOf(kSums, "sums")},
                         .tensor_bindings = {{kSum, "sum"}},
                         .runtime_arg_schema = {.runtime_arg_names = {"first", "count"}},
                         .hw_config = CreateWriterGen1DataMovementConfig()};
  return {.name = "add_tensors",
          .kernels = {read, add, write},
          .dataflow_buffers = {two_tiles(kPairsA), two_tiles(kPairsB), two_tiles(kSums)},
          .tensor_parameters = {{.unique_id = kA, .spec = matrix()},
                                {.unique_id = kB, .spec = matrix()},
                                {.unique_id = kSum, .spec = matrix()}},
          .work_units = {{.name = "all", .kernels = {kRead, kAdd, kWrite}, .target_nodes = nodes}}};
}

// Which tiles each node works on.
Group<KernelRunArgs> shares_of(const example::Work& work) {
  KernelRunArgs read{.kernel = kRead}, add{.kernel = kAdd}, write{.kernel = kWrite};
  for (const example::CoreWork& part : work.parts) {
    for (KernelRunArgs* args : {&read, &write})
      AddRuntimeArgsForNode(args->runtime_arg_values, part.core,
                            {{"first", part.first}, {"count", part.count}});
    AddRuntimeArgsForNode(add.runtime_arg_values, part.core, {{"count", part.count}});
  }
  return {read, add, write};
}

int run() {
  auto mesh = distributed::MeshDevice::create_unit_mesh(0);
  distributed::MeshCommandQueue& cq = mesh->mesh_command_queue();
  const auto a_values = numbers(7), b_values = numbers(11);
  const MeshTensor a = cq.enqueue_write_tensor(HostTensor::from_vector(a_values, matrix()));
  const MeshTensor b = cq.enqueue_write_tensor(HostTensor::from_vector(b_values, matrix()));
  const MeshTensor sum = MeshTensor::allocate_on_device(*mesh, matrix());
  const MeshTensor total = MeshTensor::allocate_on_device(*mesh, matrix());

  const example::Work work = example::split_work(mesh->compute_with_storage_grid_size(), kNumTiles);
  distributed::MeshWorkload workload = MakeMeshWorkloadFromSpec(*mesh, adding(work.cores));
  Program& program = workload.get_programs().begin()->second;
  SetProgramRunArgs(program, {.kernel_run_args = shares_of(work),
                              .tensor_args = {{kA, a}, {kB, b}, {kSum, sum}}});
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  UpdateTensorArgs(program, {{kA, sum}, {kB, b}, {kSum, total}});
  distributed::EnqueueMeshWorkload(cq, workload, /*blocking=*/false);
  const auto totals = cq.enqueue_read_tensor(total).to_vector<bfloat16>();

  size_t wrong = 0;
  for (size_t i = 0; i < totals.size(); ++i)
    wrong += totals[i].to_float() != a_values[i].to_float() + 2 * b_values[i].to_float();
  std::cout << "add_tensors: " << totals.size() << " elements, " << wrong << " wrong\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) { return example::main(argc, argv, run); }
