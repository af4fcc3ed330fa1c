#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/kernel_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/node_coord.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_parameter.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/group.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <utility>
#include <variant>

namespace tt::tt_metal::experimental {

// What a program that was made from a ProgramSpec is given for its launches. A plain value, but for
// tensors, which it refers to.
struct ProgramRunArgs {
  struct KernelRunArgs {
    using CommonRuntimeArgValues = Table<std::string, uint32_t>;
    // The arguments of a node, as programs of June 2026 give them.
    struct NodeRuntimeArgs {
      NodeCoord node = {};
      Table<std::string, uint32_t> args = {};
    };
    // Values by name, then by node; or added node by node. A value that is there is replaced.
    class RuntimeArgValues : public Table<std::string, Table<NodeCoord, uint32_t>> {
     public:
      using Values = Table<std::string, Table<NodeCoord, uint32_t>>;
      using Values::Values;

      RuntimeArgValues() = default;
      RuntimeArgValues(Values values) : Values(std::move(values)) {}
      RuntimeArgValues(std::initializer_list<NodeRuntimeArgs> nodes) {
        for (const NodeRuntimeArgs& node : nodes) push_back(node);
      }

      void push_back(const NodeRuntimeArgs& of_node) {
        for (const auto& [name, value] : of_node.args) (*this)[name][of_node.node] = value;
      }
      void emplace_back(const NodeRuntimeArgs& of_node) { push_back(of_node); }
    };

    KernelSpecName kernel = {};
    RuntimeArgValues runtime_arg_values = {};  // by name, then by node
    CommonRuntimeArgValues common_runtime_arg_values = {};
    AdvancedKernelRunArgs advanced_options = {};
  };
  Group<KernelRunArgs> kernel_run_args = {};  // each kernel at most once

  // The tensor must live until the last launch that uses it is done.
  using TensorArgument = std::variant<std::reference_wrapper<const MeshTensor>>;
  Table<TensorParamName, TensorArgument> tensor_args = {};

  // Other sizes of a dataflow buffer. They stay until they are changed again.
  struct DFBRunOverrides {
    DFBSpecName dfb = {};
    std::optional<uint32_t> entry_size = std::nullopt;  // bytes
    std::optional<uint32_t> num_entries = std::nullopt;
  };
  Group<DFBRunOverrides> dfb_run_overrides = {};
};

using KernelRunArgs = ProgramRunArgs::KernelRunArgs;
using DFBRunOverrides = ProgramRunArgs::DFBRunOverrides;
using TensorArgument = ProgramRunArgs::TensorArgument;

inline const MeshTensor& mesh_tensor_of(const TensorArgument& arg) {
  return std::get<std::reference_wrapper<const MeshTensor>>(arg).get();
}

// All arguments of `base` and of `rest` in one. Throws std::runtime_error when two of them give the
// same argument; where validation is skipped the first counts.
ProgramRunArgs MergeProgramRunArgs(ProgramRunArgs base, stl::Span<const ProgramRunArgs> rest,
                                   bool skip_validation = false);

// For programs that know their arguments node by node: adds those of a node, or makes a table with
// those of the only node. A value that is there already is replaced.
inline void AddRuntimeArgsForNode(
    KernelRunArgs::RuntimeArgValues& runtime_arg_values, const NodeCoord& node,
    std::initializer_list<std::pair<std::string, uint32_t>> named_values) {
  for (const auto& [name, value] : named_values) runtime_arg_values[name][node] = value;
}
inline KernelRunArgs::RuntimeArgValues MakeRuntimeArgsForSingleNode(
    const NodeCoord& node, std::initializer_list<std::pair<std::string, uint32_t>> named_values) {
  KernelRunArgs::RuntimeArgValues values;
  AddRuntimeArgsForNode(values, node, named_values);
  return values;
}

}  // namespace tt::tt_metal::experimental
