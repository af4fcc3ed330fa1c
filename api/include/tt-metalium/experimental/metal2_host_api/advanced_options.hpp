#pragma once

#include <cstdint>
#include <string>
#include <tt-metalium/experimental/metal2_host_api/node_coord.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/group.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/table.hpp>
#include <tt-metalium/strong_type.hpp>
#include <vector>

// What few programs need of the specifications, and what takes away one of their guarantees.
namespace tt::tt_metal::experimental {

// The name of a dataflow buffer within its program.
using DFBSpecName = ttsl::StrongType<std::string, struct DFBSpecNameTag>;

struct KernelAdvancedOptions {
  // Names of June and July 2026: arguments that the program promises not to change. They are
  // arguments like the others.
  Group<std::string> enqueue_invariant_runtime_args = {};
  Group<std::string> enqueue_invariant_common_runtime_args = {};
  // How many arguments without names a kernel has behind those with names: on each node of its own,
  // and common to all of its nodes. The kernel reads them by get_vararg(i), get_common_vararg(i).
  uint32_t num_runtime_varargs = 0;
  uint32_t num_common_runtime_varargs = 0;
  // The number on some nodes, in place of the one above. Of several entries for a node the last
  // counts.
  Table<Nodes, uint32_t> num_runtime_varargs_per_node = {};
  // Constants without names: get_compile_time_vararg(i) and <i>(), get_num_compile_time_varargs().
  std::vector<uint32_t> compile_time_varargs = {};

  // Makes a tuple tensor::NAME of tokens of the kernel's tensors, in this order, beside their own
  // names.
  struct TensorBindingSequence {
    std::string sequence_name = {};
    std::vector<std::string> members = {};  // names of TensorBindings, each at most once
  };
  Group<TensorBindingSequence> tensor_binding_sequences = {};
};
using TensorBindingSequence = KernelAdvancedOptions::TensorBindingSequence;

struct DFBAdvancedOptions {
  // Dataflow buffers in the memory of this one. Each of them names all others; all have the same
  // total size and lie on the same nodes. Nothing keeps them from overwriting each other.
  Group<DFBSpecName> alias_with = {};
  // Lets several kernels of a node be producers, or consumers, of whatever kinds. Nothing keeps
  // them apart: each has its own place in the queue, and all count the same entries.
  bool allow_instance_multi_binding = false;
};

struct SemaphoreAdvancedOptions {
  uint32_t initial_value = 0;
};

// The form of June and July 2026 of what TensorSpecRelaxations says. enqueue_invariant is a promise
// not to change the tensor, which is not needed.
struct TensorParameterAdvancedOptions {
  bool enqueue_invariant = false;
  bool match_padded_shape_only = false;
  bool dynamic_tensor_shape = false;
};

struct AdvancedKernelRunArgs {
  using Varargs = std::vector<uint32_t>;

  Table<NodeCoord, Varargs> runtime_varargs = {};
  Varargs common_runtime_varargs = {};
};

}  // namespace tt::tt_metal::experimental
