#pragma once

#include <string>
#include <tt-metalium/experimental/metal2_host_api/dataflow_buffer_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/kernel_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/node_coord.hpp>
#include <tt-metalium/experimental/metal2_host_api/scratchpad_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/semaphore_spec.hpp>
#include <tt-metalium/experimental/metal2_host_api/tensor_parameter.hpp>
#include <tt-metalium/experimental/metal2_host_api/utility/group.hpp>

namespace tt::tt_metal::experimental {

// Kernels that run together on each of some nodes: at most one compute kernel and two for data
// movement. A kernel may be in several work units.
struct WorkUnitSpec {
  std::string name = {};  // for messages
  Group<KernelSpecName> kernels = {};
  Nodes target_nodes = {};
};

// All of a program that does not change between its launches, as a plain value: MakeProgramFromSpec
// makes a program of it, and ProgramRunArgs are what changes. Names are unique among their kind,
// and all that is named is there; all but semaphores is used. Work units have no node in common.
struct ProgramSpec {
  std::string name = {};  // for messages
  Group<KernelSpec> kernels = {};
  Group<DataflowBufferSpec> dataflow_buffers = {};  // at most as many on a node as it has indices
  Group<CrossNodeDataflowBufferSpec> cross_node_dataflow_buffers = {};  // must be empty
  Group<RemoteDataflowBufferSpec> remote_dataflow_buffers = {};         // its name of June 2026
  Group<SemaphoreSpec> semaphores = {};                                 // at most 16 on a node
  Group<ScratchpadSpec> scratchpads = {};
  Group<TensorParameter> tensor_parameters = {};
  Group<WorkUnitSpec> work_units = {};
};

}  // namespace tt::tt_metal::experimental
