#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_event.hpp>
#include <tt-metalium/mesh_trace_id.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/span.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <utility>
#include <vector>

// The host API of late 2025 and after: a mesh is one device or several, a mesh buffer a buffer on
// each of them, a workload the programs for them, and a mesh's queues are the devices'. Programs,
// kernels and arguments are those of <tt-metalium/host_api.hpp>. Each call is captured as the calls
// of host_api.hpp that it stands for, device by device. Errors are std::runtime_error.
namespace tt::tt_metal::distributed {

// As MeshWorkload() and MeshWorkload::add_program().
MeshWorkload CreateMeshWorkload();
void AddProgramToMeshWorkload(MeshWorkload& mesh_workload, Program&& program,
                              const MeshCoordinateRange& device_range);

// Writes or reads one device's part, as EnqueueWriteBuffer and EnqueueReadBuffer do, which say what
// becomes of a vector that holds less; a vector that is read into is made as large as the part.
template <typename DType>
void WriteShard(MeshCommandQueue& mesh_cq, const std::shared_ptr<MeshBuffer>& mesh_buffer,
                const std::vector<DType>& src, const MeshCoordinate& coord, bool blocking = false) {
  Buffer& part = *internal::not_null(mesh_buffer).get_device_buffer(coord);
  EnqueueWriteBuffer(mesh_cq.device_queue(part), part, src, blocking);
}
template <typename DType>
void ReadShard(MeshCommandQueue& mesh_cq, std::vector<DType>& dst,
               const std::shared_ptr<MeshBuffer>& mesh_buffer, const MeshCoordinate& coord,
               bool blocking = true) {
  Buffer& part = *internal::not_null(mesh_buffer).get_device_buffer(coord);
  EnqueueReadBuffer(mesh_cq.device_queue(part), part, dst, blocking);
}

// Writes or reads the whole buffer, as the functions of MeshCommandQueue. A vector may hold less
// than the buffer, as for EnqueueWriteBuffer. Of a matrix that is divided over devices it then
// writes the shards that it reaches, filled up with zeros. Reading makes the vector as large as the
// buffer, and waits: blocking = false is refused.
template <typename DType>
void EnqueueWriteMeshBuffer(MeshCommandQueue& mesh_cq,
                            const std::shared_ptr<MeshBuffer>& mesh_buffer,
                            const std::vector<DType>& src, bool blocking = false) {
  mesh_cq.write_whole(internal::not_null(mesh_buffer), src.data(), src.size() * sizeof(DType),
                      tt::tt_metal::detail::payload_type_of<DType>, blocking);
}
template <typename DType>
void EnqueueReadMeshBuffer(MeshCommandQueue& mesh_cq, std::vector<DType>& dst,
                           const std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking = true) {
  internal::check_read_blocks(blocking);
  const MeshBuffer& read = internal::not_null(mesh_buffer);
  dst.resize(tt::tt_metal::detail::num_elements(read.size(), sizeof(DType)));
  mesh_cq.read_whole(read, dst.data(), tt::tt_metal::detail::payload_type_of<DType>);
}

// Waits until everything enqueued before has been done.
void Finish(MeshCommandQueue& mesh_cq, tt::stl::Span<const SubDeviceId> sub_device_ids = {});
// Finish of one queue or of all queues of the mesh. The form with a reference throws for a queue of
// another mesh.
void Synchronize(MeshDevice* device, std::optional<uint8_t> cq_id,
                 tt::stl::Span<const SubDeviceId> sub_device_ids = {});
void Synchronize(MeshDevice& device,
                 std::optional<std::reference_wrapper<MeshCommandQueue>> mesh_cq = std::nullopt,
                 tt::stl::Span<const SubDeviceId> sub_device_ids = {});

// As the functions of MeshCommandQueue.
MeshEvent EnqueueRecordEvent(MeshCommandQueue& mesh_cq,
                             tt::stl::Span<const SubDeviceId> sub_device_ids = {},
                             const std::optional<MeshCoordinateRange>& device_range = std::nullopt);
MeshEvent EnqueueRecordEventToHost(
    MeshCommandQueue& mesh_cq, tt::stl::Span<const SubDeviceId> sub_device_ids = {},
    const std::optional<MeshCoordinateRange>& device_range = std::nullopt);
void EnqueueWaitForEvent(MeshCommandQueue& mesh_cq, const MeshEvent& event);
// The calling thread waits until the event has been reached. Throws when it was never recorded.
void EventSynchronize(const MeshEvent& event);
// True once the event has been reached.
bool EventQuery(const MeshEvent& event);

// As the functions of MeshDevice.
MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t cq_id);
void EndTraceCapture(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id);
void ReplayTrace(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id, bool blocking);
void ReleaseTrace(MeshDevice* device, const MeshTraceId& trace_id);

// True when several hosts share a mesh: never here.
bool UsingDistributedEnvironment();

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

// Launch the program on all devices of the mesh, beside its queues, and take it over. LaunchProgram
// waits until it has ended everywhere; LaunchProgramAsync does not, and the next call that waits
// for all of a device's work does.
void LaunchProgram(distributed::MeshDevice& device, Program&& program);
void LaunchProgramAsync(distributed::MeshDevice& device, Program&& program);

}  // namespace tt::tt_metal
