#pragma once

#include <string>
#include <tt-metalium/experimental/metal2_host_api/advanced_options.hpp>
#include <tt-metalium/experimental/metal2_host_api/node_coord.hpp>
#include <tt-metalium/strong_type.hpp>

namespace tt::tt_metal::experimental {

// The name of a semaphore within its program.
using SemaphoreSpecName = ttsl::StrongType<std::string, struct SemaphoreSpecNameTag>;

// A word in the L1 of each of its nodes, which begins each launch at its initial value. Kernels of
// all nodes may bind it (KernelSpec::semaphore_bindings) and reach it through the NoC.
struct SemaphoreSpec {
  SemaphoreSpecName unique_id = {};
  Nodes target_nodes = {};
  SemaphoreAdvancedOptions advanced_options = {};
};

}  // namespace tt::tt_metal::experimental
