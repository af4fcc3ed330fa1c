// Workloads, and the functions of distributed.hpp, which are names for members of meshes, queues
// and workloads. Nothing here records: the functions of host_api.hpp below do.
#include <algorithm>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/tt_metal.hpp>
#include <utility>

#include "api/src/mesh/each_device.h"
#include "api/src/mesh/mesh_turn.h"

namespace tt::tt_metal::distributed {
namespace {

MeshDevice& given_mesh(MeshDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  return *device;
}

}  // namespace

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
  for_each_device(given_mesh(device).get_devices(),
                  [&](IDevice& each) { tt::tt_metal::Synchronize(&each, cq_id, sub_device_ids); });
}

void Synchronize(MeshDevice& device,
                 std::optional<std::reference_wrapper<MeshCommandQueue>> mesh_cq,
                 tt::stl::Span<const SubDeviceId> sub_device_ids) {
  std::optional<uint8_t> cq_id;
  if (mesh_cq) {
    TT_FATAL(mesh_cq->get().device() == &device, "{} was given a queue of {}", device.to_string(),
             mesh_cq->get().device()->to_string());
    cq_id = static_cast<uint8_t>(mesh_cq->get().id());
  }
  Synchronize(&device, cq_id, sub_device_ids);
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

void EventSynchronize(const MeshEvent& event) {
  for_each_and_all(event.events(), [](const std::shared_ptr<Event>& of_device) {
    tt::tt_metal::EventSynchronize(of_device);
  });
}

bool EventQuery(const MeshEvent& event) {
  return std::ranges::all_of(event.events(), [](const std::shared_ptr<Event>& of_device) {
    return tt::tt_metal::EventQuery(of_device);
  });
}

MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t cq_id) {
  return given_mesh(device).begin_mesh_trace(cq_id);
}

void EndTraceCapture(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id) {
  given_mesh(device).end_mesh_trace(cq_id, trace_id);
}

void ReplayTrace(MeshDevice* device, uint8_t cq_id, const MeshTraceId& trace_id, bool blocking) {
  given_mesh(device).replay_mesh_trace(cq_id, trace_id, blocking);
}

void ReleaseTrace(MeshDevice* device, const MeshTraceId& trace_id) {
  given_mesh(device).release_mesh_trace(trace_id);
}

bool UsingDistributedEnvironment() { return false; }

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

namespace {

void launch_on_each(distributed::MeshDevice& device, Program& program) {
  const distributed::MeshTurn turn(device.get_devices());
  for (IDevice* each : device.get_devices()) {
    detail::LaunchProgram(each, program, /*wait_until_cores_done=*/false);
  }
}

}  // namespace

void LaunchProgram(distributed::MeshDevice& device, Program&& program) {
  Program launched = std::move(program);
  // Devices run at the same time: they are waited for when all of them have begun.
  launch_on_each(device, launched);
  distributed::for_each_device(device.get_devices(),
                               [&](IDevice& each) { detail::WaitProgramDone(&each, launched); });
}

void LaunchProgramAsync(distributed::MeshDevice& device, Program&& program) {
  Program launched = std::move(program);
  launch_on_each(device, launched);
}

}  // namespace tt::tt_metal
