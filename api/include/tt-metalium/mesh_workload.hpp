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

// Launches each program of the workload on all devices of its range; compiles it first if need be.
// Throws, before anything is launched, when the workload has no program, or one for a device that
// the mesh does not have.
void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking);

// Programs that are launched together, each on the devices of a range. Moved, never copied. Not
// thread-safe. A workload may go while it is still in a queue.
class MeshWorkload {
 public:
  MeshWorkload();
  ~MeshWorkload();
  MeshWorkload(MeshWorkload&& other) noexcept;
  MeshWorkload& operator=(MeshWorkload&& other) noexcept;

  // Takes the program over. Throws std::runtime_error, and leaves the program where it was, when
  // the range shares a device with that of another program.
  void add_program(const MeshCoordinateRange& device_range, Program&& program);
  // The programs, for changing their arguments: a change takes effect when the workload is next
  // enqueued.
  std::unordered_map<MeshCoordinateRange, Program>& get_programs() { return programs_; }
  const std::unordered_map<MeshCoordinateRange, Program>& get_programs() const { return programs_; }

 private:
  std::unordered_map<MeshCoordinateRange, Program> programs_;
};

}  // namespace tt::tt_metal::distributed
