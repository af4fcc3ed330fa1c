#pragma once

#include <cstdint>
#include <tt-metalium/experimental/metal2_host_api/program.hpp>

#include "tests/operators/packaged_operator.h"

// Programs whose kernels name their arguments, as ProgramSpecs.
namespace lightmetal::testing {

inline tt::tt_metal::experimental::DataflowBufferSpec entries_in(
    const tt::tt_metal::experimental::DFBSpecName& name, uint32_t count, uint32_t entry_size = 2048,
    tt::DataFormat format = tt::DataFormat::Float16_b) {
  return {.unique_id = name,
          .entry_size = entry_size,
          .num_entries = count,
          .data_format_metadata = format};
}

inline void run_specified(tt::tt_metal::distributed::MeshDevice& mesh,
                          const tt::tt_metal::experimental::ProgramSpec& spec,
                          const tt::tt_metal::experimental::ProgramRunArgs& args) {
  using namespace tt::tt_metal;
  distributed::MeshWorkload workload = experimental::MakeMeshWorkloadFromSpec(mesh, spec);
  experimental::SetProgramRunArgs(workload.get_programs().begin()->second, args);
  distributed::EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
}

}  // namespace lightmetal::testing
