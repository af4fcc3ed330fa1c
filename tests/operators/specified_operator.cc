#include "tests/operators/specified_operator.h"

#include <bit>
#include <tt-metalium/bfloat16.hpp>

namespace lightmetal::testing {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

KernelSpec specification(const std::string& name, const OperatorKernel& kernel,
                         const SpecifiedOperator& of) {
  KernelSpec spec{.unique_id = KernelSpecName(name), .source = kernel.source};
  spec.compiler_options.defines = of.defines;
  for (const auto& buffer : kernel.produces) {
    spec.dfb_bindings.push_back(ProducerOf(DFBSpecName(buffer), buffer));
  }
  for (const auto& buffer : kernel.consumes) {
    spec.dfb_bindings.push_back(ConsumerOf(DFBSpecName(buffer), buffer));
  }
  for (const auto& tensor : kernel.tensors) {
    spec.tensor_bindings.push_back({TensorParamName(tensor), tensor});
  }
  for (const auto& scratchpad : kernel.scratchpads) {
    spec.scratchpad_bindings.push_back({ScratchpadSpecName(scratchpad), scratchpad});
  }
  spec.compile_time_args = kernel.constants;
  for (const auto& [argument, value] : kernel.arguments(of.shares.front())) {
    spec.runtime_arg_schema.runtime_arg_names.push_back(argument);
  }
  return spec;
}

KernelRunArgs run_args(const std::string& name, const OperatorKernel& kernel,
                       const std::vector<Share>& shares) {
  KernelRunArgs args{.kernel = KernelSpecName(name)};
  for (const Share& share : shares) {
    for (const auto& [argument, value] : kernel.arguments(share)) {
      args.runtime_arg_values[argument][share.node] = value;
    }
  }
  return args;
}

ProgramSpec specification(const SpecifiedOperator& of) {
  KernelSpec reader = specification("reader", of.reader, of);
  KernelSpec compute = specification("compute", of.compute, of);
  KernelSpec writer = specification("writer", of.writer, of);
  reader.hw_config = CreateReaderGen1DataMovementConfig();
  compute.hw_config = of.config;
  writer.hw_config = CreateWriterGen1DataMovementConfig();
  ProgramSpec spec{.name = "operator",
                   .kernels = {reader, compute, writer},
                   .dataflow_buffers = of.buffers,
                   .scratchpads = of.scratchpads};
  for (const auto& [name, tensor] : of.tensors) {
    spec.tensor_parameters.push_back(
        {.unique_id = TensorParamName(name), .spec = tensor->tensor_spec()});
  }
  spec.work_units = {{.name = "all",
                      .kernels = {reader.unique_id, compute.unique_id, writer.unique_id},
                      .target_nodes = NodeRange(of.shares.front().node, of.shares.back().node)}};
  return spec;
}

}  // namespace

std::vector<Share> shares_of(uint32_t units, uint32_t nodes) {
  std::vector<Share> shares;
  uint32_t first = 0;
  for (uint32_t node = 0; node < nodes; ++node) {
    const uint32_t count = units / nodes + (node < units % nodes ? 1 : 0);
    shares.push_back({.node = {node, 0}, .first = first, .count = count});
    first += count;
  }
  return shares;
}

DataflowBufferSpec buffer_of(const std::string& name, uint32_t tiles, tt::DataFormat format) {
  return {.unique_id = DFBSpecName(name),
          .entry_size = tt::tile_size(format),
          .num_entries = tiles,
          .data_format_metadata = format};
}

void launch(distributed::MeshDevice& mesh, const SpecifiedOperator& specified) {
  distributed::MeshWorkload workload = MakeMeshWorkloadFromSpec(mesh, specification(specified));
  ProgramRunArgs args{.kernel_run_args = {run_args("reader", specified.reader, specified.shares),
                                          run_args("compute", specified.compute, specified.shares),
                                          run_args("writer", specified.writer, specified.shares)}};
  for (const auto& [name, tensor] : specified.tensors) {
    args.tensor_args.insert({TensorParamName(name), std::cref(*tensor)});
  }
  SetProgramRunArgs(workload.get_programs().begin()->second, args);
  distributed::EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
}

uint32_t float_bits(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t bfloat16_pair(float value) {
  const uint32_t half = std::bit_cast<uint32_t>(bfloat16(value).to_float()) >> 16;
  return half << 16 | half;
}

}  // namespace lightmetal::testing
