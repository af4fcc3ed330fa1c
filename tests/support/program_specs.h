#pragma once

#include <string>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>

// Specifications that tests of the Metal 2.0 API share, and break in one place each.
namespace tt::tt_metal::testing {

inline const experimental::KernelSpecName kReader{"reader"}, kCompute{"compute"}, kWriter{"writer"};
inline const experimental::DFBSpecName kIn{"in"}, kOut{"out"};
inline const experimental::TensorParamName kSource{"source"}, kResult{"result"};
inline const experimental::SemaphoreSpecName kTurn{"turn"};
inline const experimental::ScratchpadSpecName kPad{"pad"};

inline TensorSpec tiles_of(uint32_t rows, uint32_t columns, BufferType memory = BufferType::DRAM) {
  return TensorSpec(Shape({rows, columns}),
                    TensorLayout(DataType::BFLOAT16, Layout::TILE, MemoryConfig(memory)));
}

inline experimental::DataflowBufferSpec tile_queue(const experimental::DFBSpecName& name,
                                                   uint32_t entries = 2) {
  return {.unique_id = name,
          .entry_size = 2048,
          .num_entries = entries,
          .data_format_metadata = tt::DataFormat::Float16_b};
}

inline experimental::WorkUnitSpec unit_of(experimental::Group<experimental::KernelSpecName> kernels,
                                          experimental::Nodes nodes) {
  return {.name = "unit", .kernels = std::move(kernels), .target_nodes = std::move(nodes)};
}

// Tiles go from one tensor through a compute kernel to another, on nodes (0,0) and (1,0). Each
// kernel has the text that is given; arguments and resources of all kinds are there.
inline experimental::ProgramSpec copying_spec(const std::string& reader, const std::string& compute,
                                              const std::string& writer) {
  using namespace experimental;
  ProgramSpec spec{.name = "copy"};
  spec.kernels = {{.unique_id = kReader,
                   .source = KernelSpec::SourceCode{reader},
                   .dfb_bindings = {ProducerOf(kIn, "tiles")},
                   .semaphore_bindings = {{kTurn, "turn"}},
                   .scratchpad_bindings = {{kPad, "pad"}},
                   .tensor_bindings = {{kSource, "source"}},
                   .compile_time_args = {{"per_step", 1}},
                   .runtime_arg_schema = {.runtime_arg_names = {"first", "count"},
                                          .common_runtime_arg_names = {"step"}},
                   .hw_config = CreateReaderGen1DataMovementConfig()},
                  {.unique_id = kCompute,
                   .source = KernelSpec::SourceCode{compute},
                   .dfb_bindings = {ConsumerOf(kIn, "tiles"), ProducerOf(kOut, "results")},
                   .runtime_arg_schema = {.runtime_arg_names = {"count"}},
                   .hw_config = ComputeHardwareConfig{}},
                  {.unique_id = kWriter,
                   .source = KernelSpec::SourceCode{writer},
                   .dfb_bindings = {ConsumerOf(kOut, "results")},
                   .tensor_bindings = {{kResult, "result"}},
                   .runtime_arg_schema = {.runtime_arg_names = {"first", "count"}},
                   .hw_config = CreateWriterGen1DataMovementConfig()}};
  const NodeRange nodes({0, 0}, {1, 0});
  spec.dataflow_buffers = {tile_queue(kIn), tile_queue(kOut)};
  spec.semaphores = {{.unique_id = kTurn, .target_nodes = nodes}};
  spec.scratchpads = {{.unique_id = kPad, .size_per_node = 100}};
  spec.tensor_parameters = {{.unique_id = kSource, .spec = tiles_of(64, 64)},
                            {.unique_id = kResult, .spec = tiles_of(64, 64)}};
  spec.work_units = {unit_of({kReader, kCompute, kWriter}, nodes)};
  return spec;
}

// Two tiles for each of the nodes.
inline experimental::ProgramRunArgs copying_args(const MeshTensor& source,
                                                 const MeshTensor& result) {
  using namespace experimental;
  const Table<NodeCoord, uint32_t> first = {{{0, 0}, 0}, {{1, 0}, 2}};
  const Table<NodeCoord, uint32_t> count = {{{0, 0}, 2}, {{1, 0}, 2}};
  ProgramRunArgs args;
  args.kernel_run_args = {
      {.kernel = kReader,
       .runtime_arg_values = {{"first", first}, {"count", count}},
       .common_runtime_arg_values = {{"step", 1}}},
      {.kernel = kCompute, .runtime_arg_values = {{"count", count}}},
      {.kernel = kWriter, .runtime_arg_values = {{"first", first}, {"count", count}}}};
  args.tensor_args = {{kSource, source}, {kResult, result}};
  return args;
}

}  // namespace tt::tt_metal::testing
