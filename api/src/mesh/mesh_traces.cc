// Device traces of meshes: one on each device, under one id.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_trace.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/mesh/each_device.h"
#include "api/src/mesh/mesh_turn.h"
#include "api/src/replay_hooks.h"

namespace tt::tt_metal::distributed {
namespace {

uint8_t id_of(const MeshCommandQueue& queue, const MeshDevice& mesh) {
  TT_FATAL(queue.device() == &mesh, "{} was given a queue of {}", mesh.to_string(),
           queue.device()->to_string());
  return static_cast<uint8_t>(queue.id());
}

}  // namespace

MeshTraceId MeshTrace::next_id() { return MeshTraceId(replay_hooks::reserve_trace_id()); }

MeshTraceId MeshDevice::begin_mesh_trace(uint8_t cq_id) {
  const MeshTraceId id = MeshTrace::next_id();
  begin_mesh_trace(cq_id, id);
  return id;
}

void MeshDevice::begin_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id) {
  const MeshTurn turn(devices_);
  size_t begun = 0;
  try {
    for (IDevice* device : devices_) {
      device->begin_trace(cq_id, *trace_id);
      ++begun;
    }
  } catch (...) {
    // No device captures what others do not: what was begun is dropped.
    for (size_t i = 0; i < begun; ++i) impl_of(*devices_[i]).queue(cq_id).end_trace(*trace_id);
    throw;
  }
}

void MeshDevice::end_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id) {
  const MeshTurn turn(devices_);
  std::vector<IDevice*> ended;
  try {
    for_each_device(devices_, [&](IDevice& device) {
      EndTraceCapture(&device, cq_id, *trace_id);
      ended.push_back(&device);
    });
  } catch (...) {
    // A trace of a mesh is one on each of its devices, or none.
    for (IDevice* device : ended) ReleaseTrace(device, *trace_id);
    throw;
  }
}

void MeshDevice::replay_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id, bool blocking) {
  // The devices run at the same time: they are waited for when all of them have begun.
  const bool waits = impl_of(devices_.front()->command_queue(cq_id)).waits(blocking);
  const bool waits_at_once = waits && devices_.size() == 1;
  for (IDevice* device : devices_) {
    if (devices_.size() == 1) break;  // the launch checks its own device
    impl_of(*device).check_replays(cq_id, *trace_id, "ReplayTrace");
  }
  {
    const MeshTurn turn(devices_);
    for (IDevice* device : devices_) {
      replay_hooks::replay_trace(device, cq_id, *trace_id, waits_at_once);
    }
  }
  if (waits && !waits_at_once) {
    for_each_device(devices_, [&](IDevice& device) { Finish(device.command_queue(cq_id)); });
  }
}

void MeshDevice::release_mesh_trace(const MeshTraceId& trace_id) {
  for_each_device(devices_, [&](IDevice& device) { ReleaseTrace(&device, *trace_id); });
}

MeshTraceId MeshDevice::begin_mesh_trace(MeshCommandQueue& mesh_cq) {
  return begin_mesh_trace(id_of(mesh_cq, *this));
}

void MeshDevice::begin_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id) {
  begin_mesh_trace(id_of(mesh_cq, *this), trace_id);
}

void MeshDevice::end_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id) {
  end_mesh_trace(id_of(mesh_cq, *this), trace_id);
}

void MeshDevice::replay_mesh_trace(MeshCommandQueue& mesh_cq, const MeshTraceId& trace_id,
                                   bool blocking) {
  replay_mesh_trace(id_of(mesh_cq, *this), trace_id, blocking);
}

}  // namespace tt::tt_metal::distributed
