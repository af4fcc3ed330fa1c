#pragma once

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/program.hpp>
#include <unordered_map>

namespace tt::tt_metal::distributed {

class MeshCommandQueue;
class MeshWorkload;

// Compiles the programs first if need be. Throws when the workload has no program, or one for a
// device that the mesh does not have.
void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking);

// Programs, each for the devices of a range, to be launched together. Moved, never copied. Not
// thread-safe. May go while it is still in a queue.
class MeshWorkload {
 public:
  MeshWorkload();
  ~MeshWorkload();
  MeshWorkload(MeshWorkload&& other) noexcept;
  MeshWorkload& operator=(MeshWorkload&& other) noexcept;

  // Takes the program over. Throws std::runtime_error when the range shares a device with that of
  // another program.
  void add_program(const MeshCoordinateRange& device_range, Program&& program);
  // The way to the programs' arguments: what is changed there takes effect when the workload is
  // next enqueued.
  std::unordered_map<MeshCoordinateRange, Program>& get_programs() { return programs_; }
  const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const { return programs_; }

 private:
  std::unordered_map<MeshCoordinateRange, Program> programs_;
};

}  // namespace tt::tt_metal::distributed
