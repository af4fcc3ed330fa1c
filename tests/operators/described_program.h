#pragma once

#include <cstdint>
#include <string>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/program_descriptors.hpp>
#include <tt-metalium/tensor/mesh_tensor.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <utility>
#include <vector>

// Programs whose kernels have positional arguments, as ProgramDescriptors.
namespace lightmetal::testing {

using Words = std::vector<uint32_t>;

constexpr uint32_t kTileBytes = 2048;  // of bfloat16

// Appends where the pages of a tensor lie, or the words of a tensor that there is not.
inline void append_accessor(Words& args, const tt::tt_metal::MeshTensor& tensor) {
  tt::tt_metal::TensorAccessorArgs(tensor).append_to(args);
}
inline void append_no_accessor(Words& args) { tt::tt_metal::TensorAccessorArgs().append_to(args); }

// A tensor among runtime arguments: its address, which the program knows to be one.
inline tt::tt_metal::Buffer* address_of(const tt::tt_metal::MeshTensor& tensor) {
  return tensor.mesh_buffer().get_reference_buffer();
}

inline tt::tt_metal::CBDescriptor pages_in(uint8_t index, uint32_t count, uint32_t page_size,
                                           const tt::tt_metal::CoreRangeSet& cores,
                                           tt::DataFormat format = tt::DataFormat::Float16_b) {
  return {.total_size = count * page_size,
          .core_ranges = cores,
          .format_descriptors = {
              {.buffer_index = index, .data_format = format, .page_size = page_size}}};
}
inline tt::tt_metal::CBDescriptor tiles_in(uint8_t index, uint32_t count,
                                           const tt::tt_metal::CoreRangeSet& cores) {
  return pages_in(index, count, kTileBytes, cores);
}

// Runs it on each device of the mesh.
inline void run_described(tt::tt_metal::distributed::MeshDevice& mesh,
                          const tt::tt_metal::ProgramDescriptor& descriptor) {
  using namespace tt::tt_metal;
  distributed::MeshWorkload workload;
  workload.add_program(distributed::MeshCoordinateRange(mesh.shape()), Program(descriptor));
  distributed::EnqueueMeshWorkload(mesh.mesh_command_queue(), workload, false);
}

}  // namespace lightmetal::testing
