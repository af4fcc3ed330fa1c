#include "tests/operators/specified_operator.h"

#include <bit>
#include <tt-metalium/bfloat16.hpp>

namespace lightmetal::testing {
namespace specified {
namespace {

using namespace tt::tt_metal;
using namespace tt::tt_metal::experimental;

KernelAdvancedOptions advanced_options(const OperatorKernel& kernel, const Share& share) {
  KernelAdvancedOptions options{
      .num_runtime_varargs = static_cast<uint32_t>(kernel.varargs(share).size()),
      .num_common_runtime_varargs = static_cast<uint32_t>(kernel.common_varargs.size()),
      .compile_time_varargs = kernel.constant_varargs};
  if (kernel.tensor_sequence.empty()) return options;
  TensorBindingSequence sequence{.sequence_name = kernel.tensor_sequence};
  for (const auto& tensor : kernel.tensors) sequence.members.push_back(kernel.name_of(tensor));
  options.tensor_binding_sequences.push_back(sequence);
  return options;
}

KernelSpec specification(const std::string& name, const OperatorKernel& kernel,
                         const SpecifiedOperator& of) {
  KernelSpec spec{.unique_id = KernelSpecName(name), .source = kernel.source};
  spec.compiler_options.defines = of.defines;
  for (const auto& buffer : kernel.produces) {
    spec.dfb_bindings.push_back(ProducerOf(DFBSpecName(buffer), kernel.name_of(buffer)));
  }
  for (const auto& buffer : kernel.consumes) {
    spec.dfb_bindings.push_back(ConsumerOf(DFBSpecName(buffer), kernel.name_of(buffer)));
  }
  for (const auto& tensor : kernel.tensors) {
    spec.tensor_bindings.push_back({TensorParamName(tensor), kernel.name_of(tensor)});
  }
  for (const auto& scratchpad : kernel.scratchpads) {
    spec.scratchpad_bindings.push_back(
        {ScratchpadSpecName(scratchpad), kernel.name_of(scratchpad)});
  }
  spec.compile_time_args = kernel.constants;
  for (const auto& [argument, value] : kernel.arguments(of.shares.front())) {
    spec.runtime_arg_schema.runtime_arg_names.push_back(argument);
  }
  spec.advanced_options = advanced_options(kernel, of.shares.front());
  return spec;
}

KernelRunArgs run_args(const std::string& name, const OperatorKernel& kernel,
                       const std::vector<Share>& shares) {
  KernelRunArgs args{.kernel = KernelSpecName(name)};
  for (const Share& share : shares) {
    for (const auto& [argument, value] : kernel.arguments(share)) {
      args.runtime_arg_values[argument][share.node] = value;
    }
    const std::vector<uint32_t> varargs = kernel.varargs(share);
    if (!varargs.empty()) args.advanced_options.runtime_varargs[share.node] = varargs;
  }
  args.advanced_options.common_runtime_varargs = kernel.common_varargs;
  return args;
}

Group<KernelSpec> kernels_of(const SpecifiedOperator& of) {
  Group<KernelSpec> kernels{specification("reader", of.reader, of),
                            specification("writer", of.writer, of)};
  kernels[0].hw_config = CreateReaderGen1DataMovementConfig();
  kernels[1].hw_config = CreateWriterGen1DataMovementConfig();
  if (of.compute) {
    kernels.push_back(specification("compute", *of.compute, of));
    kernels.back().hw_config = of.config;
  }
  return kernels;
}

ProgramSpec specification(const SpecifiedOperator& of) {
  ProgramSpec spec{.name = "operator",
                   .kernels = kernels_of(of),
                   .dataflow_buffers = of.buffers,
                   .scratchpads = of.scratchpads};
  for (const auto& [name, tensor] : of.tensors) {
    spec.tensor_parameters.push_back(
        {.unique_id = TensorParamName(name), .spec = tensor->tensor_spec()});
  }
  WorkUnitSpec all{.name = "all",
                   .target_nodes = NodeRange(of.shares.front().node, of.shares.back().node)};
  for (const KernelSpec& kernel : spec.kernels) all.kernels.push_back(kernel.unique_id);
  spec.work_units = {all};
  return spec;
}

ProgramRunArgs run_args(const SpecifiedOperator& of) {
  ProgramRunArgs args{.kernel_run_args = {run_args("reader", of.reader, of.shares),
                                          run_args("writer", of.writer, of.shares)}};
  if (of.compute) args.kernel_run_args.push_back(run_args("compute", *of.compute, of.shares));
  for (const auto& [name, tensor] : of.tensors) {
    args.tensor_args.insert({TensorParamName(name), std::cref(*tensor)});
  }
  return args;
}

}  // namespace
}  // namespace specified

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

tt::tt_metal::experimental::DataflowBufferSpec buffer_of(const std::string& name, uint32_t tiles,
                                                         tt::DataFormat format) {
  return {.unique_id = tt::tt_metal::experimental::DFBSpecName(name),
          .entry_size = tt::tile_size(format),
          .num_entries = tiles,
          .data_format_metadata = format};
}

void launch(tt::tt_metal::distributed::MeshDevice& mesh, const SpecifiedOperator& program) {
  using namespace tt::tt_metal::experimental;
  using namespace tt::tt_metal::distributed;
  MeshWorkload workload = MakeMeshWorkloadFromSpec(mesh, specified::specification(program));
  SetProgramRunArgs(workload.get_programs().begin()->second, specified::run_args(program));
  EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
}

uint32_t float_bits(float value) { return std::bit_cast<uint32_t>(value); }

uint32_t bfloat16_pair(float value) {
  const uint32_t half = std::bit_cast<uint32_t>(bfloat16(value).to_float()) >> 16;
  return half << 16 | half;
}

}  // namespace lightmetal::testing
