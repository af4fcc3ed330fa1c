#include "api/src/mesh/mesh_of_devices.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/devices/device_impl.h"
#include "api/src/mesh/each_device.h"
#include "capture/capture.h"
#include "host/device.h"

namespace tt::tt_metal::distributed {
namespace {

std::vector<IDevice*> devices_behind(const std::vector<std::shared_ptr<MeshDevice>>& owners) {
  std::vector<IDevice*> devices;
  for (const auto& owner : owners) devices.push_back(owner.get());
  return devices;
}

// Ids of meshes begin behind those of devices.
int next_mesh_id() {
  static std::atomic<int> next = static_cast<int>(lightmetal::host::kMaxDevices);
  return next++;
}

}  // namespace

MeshOfDevices::MeshOfDevices(const MeshShape& shape,
                             std::vector<std::shared_ptr<MeshDevice>> owners)
    : MeshDevice(shape, devices_behind(owners), nullptr),
      id_(next_mesh_id()),
      owners_(std::move(owners)) {}

MeshOfDevices::MeshOfDevices(const MeshShape& shape, std::vector<IDevice*> devices,
                             std::shared_ptr<MeshDevice> parent)
    : MeshDevice(shape, std::move(devices), std::move(parent)), id_(next_mesh_id()) {}

MeshOfDevices::~MeshOfDevices() = default;

bool MeshOfDevices::is_initialized() const {
  return !closed_ && std::ranges::all_of(devices(), &IDevice::is_initialized);
}

bool MeshOfDevices::close() {
  const bool was_open = is_initialized();
  closed_ = true;
  // A submesh has opened no device, and closes none.
  if (!owners_.empty()) {
    for_each_device(devices(), [](IDevice& device) { device.close(); });
  }
  return was_open;
}

// ---- Sub-devices ----

SubDeviceManagerId MeshOfDevices::create_sub_device_manager(
    tt::stl::Span<const SubDevice> sub_devices, DeviceAddr local_l1_size) {
  std::vector<SubDeviceManagerId> made;
  try {
    for (IDevice* device : devices()) {
      made.push_back(device->create_sub_device_manager(sub_devices, local_l1_size));
    }
  } catch (...) {
    for (size_t i = 0; i < made.size(); ++i) devices()[i]->remove_sub_device_manager(made[i]);
    throw;
  }
  lightmetal::MutexLock lock(&mutex_);
  return managers_.emplace(made.front(), made).first->first;
}

SubDeviceManagerId MeshOfDevices::create_sub_device_manager(
    std::initializer_list<SubDevice> sub_devices, DeviceAddr local_l1_size) {
  return create_sub_device_manager(
      tt::stl::Span<const SubDevice>(sub_devices.begin(), sub_devices.size()), local_l1_size);
}

std::vector<SubDeviceManagerId> MeshOfDevices::managers(SubDeviceManagerId manager) const {
  if (manager == get_default_sub_device_manager_id()) {
    std::vector<SubDeviceManagerId> ids;
    for (const IDevice* device : devices())
      ids.push_back(device->get_default_sub_device_manager_id());
    return ids;
  }
  lightmetal::MutexLock lock(&mutex_);
  const auto found = managers_.find(manager);
  TT_FATAL(found != managers_.end(), "Mesh {} has no sub-device manager {}", id(), *manager);
  return found->second;
}

void MeshOfDevices::remove_sub_device_manager(SubDeviceManagerId manager) {
  const std::vector<SubDeviceManagerId> ids = managers(manager);
  for (size_t i = 0; i < ids.size(); ++i) {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY();
    impl_of(*devices()[i]).sub_devices().check_can_remove(ids[i]);
  }
  for (size_t i = 0; i < ids.size(); ++i) devices()[i]->remove_sub_device_manager(ids[i]);
  lightmetal::MutexLock lock(&mutex_);
  managers_.erase(manager);
}

void MeshOfDevices::load_sub_device_manager(SubDeviceManagerId manager) {
  const std::vector<SubDeviceManagerId> ids = managers(manager);
  load_on_all(ids, [&](size_t i) { devices()[i]->load_sub_device_manager(ids[i]); });
}

void MeshOfDevices::clear_loaded_sub_device_manager() {
  load_on_all(managers(get_default_sub_device_manager_id()),
              [&](size_t i) { devices()[i]->clear_loaded_sub_device_manager(); });
}

void MeshOfDevices::load_on_all(const std::vector<SubDeviceManagerId>& ids, const LoadOn& load) {
  // What a device may refuse is asked of all devices first.
  synchronize();
  for (size_t i = 0; i < ids.size(); ++i) {
    LIGHT_METAL_TRACE_FUNCTION_ENTRY("load_sub_device_manager");
    impl_of(*devices()[i]).sub_devices().check_can_load(ids[i]);
  }
  std::vector<SubDeviceManagerId> before;
  for (const IDevice* device : devices()) {
    before.push_back(device->get_active_sub_device_manager_id());
  }
  size_t loaded = 0;
  try {
    for (; loaded < ids.size(); ++loaded) load(loaded);
  } catch (...) {
    for (size_t i = 0; i < loaded; ++i) devices()[i]->load_sub_device_manager(before[i]);
    throw;
  }
}

void MeshOfDevices::set_sub_device_stall_group(tt::stl::Span<const SubDeviceId> sub_device_ids) {
  for (IDevice* device : devices()) device->set_sub_device_stall_group(sub_device_ids);
}

void MeshOfDevices::reset_sub_device_stall_group() {
  for (IDevice* device : devices()) device->reset_sub_device_stall_group();
}

// ---- Queues and traces ----

void MeshOfDevices::synchronize() {
  for_each_device(devices(), [](IDevice& device) { device.synchronize(); });
}

const CommandQueue& MeshOfDevices::command_queue(size_t cq_id) const {
  return std::as_const(only_device()).command_queue(cq_id);
}

void MeshOfDevices::begin_trace(uint8_t cq_id, uint32_t trace_id) {
  begin_mesh_trace(cq_id, MeshTraceId(trace_id));
}

void MeshOfDevices::end_trace(uint8_t cq_id, uint32_t trace_id) {
  end_mesh_trace(cq_id, MeshTraceId(trace_id));
}

void MeshOfDevices::replay_trace(uint8_t cq_id, uint32_t trace_id, bool block_on_device,
                                 bool /*block_on_worker_thread*/) {
  replay_mesh_trace(cq_id, MeshTraceId(trace_id), block_on_device);
}

void MeshOfDevices::release_trace(uint32_t trace_id) { release_mesh_trace(MeshTraceId(trace_id)); }

void MeshOfDevices::load_trace(uint8_t cq_id, uint32_t trace_id,
                               const TraceDescriptor& trace_desc) {
  only_device().load_trace(cq_id, trace_id, trace_desc);
}

std::shared_ptr<TraceBuffer> MeshOfDevices::get_trace(uint32_t trace_id) {
  return only_device().get_trace(trace_id);
}

// ---- The program cache's switch ----

void MeshOfDevices::enable_program_cache() {
  for (IDevice* device : devices()) device->enable_program_cache();
}

void MeshOfDevices::clear_program_cache() {
  for (IDevice* device : devices()) device->clear_program_cache();
}

void MeshOfDevices::disable_and_clear_program_cache() {
  for (IDevice* device : devices()) device->disable_and_clear_program_cache();
}

}  // namespace tt::tt_metal::distributed
