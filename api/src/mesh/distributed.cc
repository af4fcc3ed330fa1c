// Workloads, and the functions of distributed.hpp, which are names for members of meshes, queues
// and workloads. Nothing here records: the functions of host_api.hpp below do.
#include <tt-metalium/distributed.hpp>
#include <utility>

namespace tt::tt_metal::distributed {

MeshWorkload::MeshWorkload() = default;
MeshWorkload::~MeshWorkload() = default;
MeshWorkload::MeshWorkload(MeshWorkload&& other) noexcept = default;
MeshWorkload& MeshWorkload::operator=(MeshWorkload&& other) noexcept = default;

void MeshWorkload::add_program(const MeshCoordinateRange& device_range, Program&& program) {
  for (const auto& [taken, other] : programs_) {
    TT_FATAL(taken.dims() == device_range.dims() && !taken.intersects(device_range),
             "A program for {} cannot be added: the workload has one for {}", device_range, taken);
  }
  programs_.emplace(device_range, std::move(program));
}

MeshWorkload CreateMeshWorkload() { return {}; }

void AddProgramToMeshWorkload(MeshWorkload& mesh_workload, Program&& program,
                              const MeshCoordinateRange& device_range) {
  mesh_workload.add_program(device_range, std::move(program));
}

void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking) {
  mesh_cq.enqueue_mesh_workload(mesh_workload, blocking);
}

void Finish(MeshCommandQueue& mesh_cq, tt::stl::Span<const SubDeviceId> sub_device_ids) {
  mesh_cq.finish(sub_device_ids);
}

void Synchronize(MeshDevice* device, std::optional<uint8_t> cq_id,
                 tt::stl::Span<const SubDeviceId> sub_device_ids) {
  tt::tt_metal::Synchronize(static_cast<IDevice*>(device), cq_id, sub_device_ids);
}

MeshEvent EnqueueRecordEvent(MeshCommandQueue& mesh_cq,
                             tt::stl::Span<const SubDeviceId> sub_device_ids,
                             const std::optional<MeshCoordinateRange>& device_range) {
  return mesh_cq.enqueue_record_event(sub_device_ids, device_range);
}

MeshEvent EnqueueRecordEventToHost(MeshCommandQueue& mesh_cq,
                                   tt::stl::Span<const SubDeviceId> sub_device_ids,
                                   const std::optional<MeshCoordinateRange>& device_range) {
  return mesh_cq.enqueue_record_event_to_host(sub_device_ids, device_range);
}

void EnqueueWaitForEvent(MeshCommandQueue& mesh_cq, const MeshEvent& event) {
  mesh_cq.enqueue_wait_for_event(event);
}

void EventSynchronize(const MeshEvent& event) { tt::tt_metal::EventSynchronize(event.event()); }
bool EventQuery(const MeshEvent& event) { return tt::tt_metal::EventQuery(event.event()); }

MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t cq_id) {
  return device->begin_mesh_trace(cq_id);
}

void EndTraceCapture(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id) {
  device->end_mesh_trace(cq_id, trace_id);
}

void ReplayTrace(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id, bool blocking) {
  device->replay_mesh_trace(cq_id, trace_id, blocking);
}

void ReleaseTrace(MeshDevice* device, const MeshTraceId& trace_id) {
  device->release_mesh_trace(trace_id);
}

bool UsingDistributedEnvironment() { return false; }

}  // namespace tt::tt_metal::distributed
