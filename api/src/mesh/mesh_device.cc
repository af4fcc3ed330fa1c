// Meshes of one device. They call the functions of host_api.hpp, which record themselves, so there
// is no command for meshes.
#include <exception>
#include <limits>
#include <sstream>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "api/src/opening/create_devices.h"
#include "base/mutex.h"
#include "base/per_process.h"

namespace tt::tt_metal::distributed {
namespace {

// The lock is held from the moment a device is opened until it has its owner, and while the last
// owner closes it: whoever opens the device meanwhile shares it with the other owners, or opens it
// anew.
struct Owners {
  static Owners& get() { return lightmetal::PerProcess<Owners>::get(); }

  lightmetal::Mutex mutex;
};

void close_unowned(MeshDevice* mesh) noexcept {
  lightmetal::MutexLock lock(&Owners::get().mutex);
  try {
    // Between the end of the last owner and this lock, another thread may have given the device a
    // new owner, or closed it.
    if (mesh->is_initialized() && mesh->weak_from_this().expired()) mesh->close();
  } catch (const std::exception& error) {
    log_error(LogMetal, "Device {} was closed with an error: {}", mesh->id(), error.what());
  }
}

// An owner of the device. Devices are meshes, and live as long as the process, so the deleter
// closes the device and deletes nothing. All owners of one device share it, however often it was
// created.
std::shared_ptr<MeshDevice> owned(IDevice* device)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(Owners::get().mutex) {
  auto* const mesh = static_cast<MeshDevice*>(device);
  if (auto other_owner = mesh->weak_from_this().lock()) return other_owner;
  return {mesh, close_unowned};
}

// The shape of all devices: one row.
MeshShape system_shape() { return MeshShape(1, static_cast<uint32_t>(GetNumAvailableDevices())); }

chip_id_t only_device_of(const MeshDeviceConfig& config) {
  const MeshShape shape = config.mesh_shape().value_or(system_shape());
  TT_FATAL(shape.mesh_size() == 1,
           "A mesh of {} devices ({}) cannot be created: there are meshes of one device only",
           shape.mesh_size(), shape);
  const std::vector<chip_id_t>& ids = config.physical_device_ids();
  TT_FATAL(ids.size() <= 1, "A mesh of one device was given {} physical device ids", ids.size());
  if (!ids.empty()) return ids.front();
  const MeshCoordinate first = config.offset().value_or(MeshCoordinate(0, 0));
  return static_cast<chip_id_t>(first.to_linear_index(system_shape()));
}

uint8_t queue_count(size_t num_command_queues) {
  TT_FATAL(num_command_queues <= std::numeric_limits<uint8_t>::max(),
           "{} command queues are more than any device has", num_command_queues);
  return static_cast<uint8_t>(num_command_queues);
}

}  // namespace

MeshDevice::MeshDevice(uint8_t num_command_queues) : shape_(1, 1), devices_{this} {
  for (uint8_t id = 0; id < num_command_queues; ++id) {
    queues_.push_back(std::unique_ptr<MeshCommandQueue>(new MeshCommandQueue(this, id)));
  }
}

MeshDevice::~MeshDevice() = default;

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int device_id, size_t l1_small_size, size_t trace_region_size, size_t num_command_queues,
    const DispatchCoreConfig& dispatch_core_config, tt::stl::Span<const uint32_t> l1_bank_remap,
    size_t /*worker_l1_size*/) {
  lightmetal::MutexLock lock(&Owners::get().mutex);
  return owned(CreateDevice(device_id, queue_count(num_command_queues), l1_small_size,
                            trace_region_size, dispatch_core_config,
                            {l1_bank_remap.begin(), l1_bank_remap.end()}));
}

std::shared_ptr<MeshDevice> MeshDevice::create(const MeshDeviceConfig& config, size_t l1_small_size,
                                               size_t trace_region_size, size_t num_command_queues,
                                               const DispatchCoreConfig& dispatch_core_config,
                                               tt::stl::Span<const uint32_t> l1_bank_remap,
                                               size_t worker_l1_size) {
  return create_unit_mesh(only_device_of(config), l1_small_size, trace_region_size,
                          num_command_queues, dispatch_core_config, l1_bank_remap, worker_l1_size);
}

std::map<int, std::shared_ptr<MeshDevice>> MeshDevice::create_unit_meshes(
    const std::vector<int>& device_ids, size_t l1_small_size, size_t trace_region_size,
    size_t num_command_queues, const DispatchCoreConfig& dispatch_core_config,
    tt::stl::Span<const uint32_t> l1_bank_remap, size_t /*worker_l1_size*/) {
  const std::vector<uint32_t> remap(l1_bank_remap.begin(), l1_bank_remap.end());
  lightmetal::MutexLock lock(&Owners::get().mutex);
  const auto devices = create_all_or_none(device_ids, [&](chip_id_t id) {
    return CreateDevice(id, queue_count(num_command_queues), l1_small_size, trace_region_size,
                        dispatch_core_config, remap);
  });
  std::map<int, std::shared_ptr<MeshDevice>> meshes;
  for (const auto& [id, device] : devices) meshes[id] = owned(device);
  return meshes;
}

DeviceIds MeshDevice::get_device_ids() const {
  DeviceIds ids;
  for (const IDevice* device : devices_) ids.push_back(device->id());
  return ids;
}

IDevice* MeshDevice::get_device(chip_id_t physical_device_id) const {
  for (IDevice* device : devices_) {
    if (device->id() == physical_device_id) return device;
  }
  TT_THROW("Device {} is not in the mesh", physical_device_id);
}

IDevice* MeshDevice::get_device(const MeshCoordinate& coord) const {
  return devices_[coord.to_linear_index(shape_)];
}

IDevice* MeshDevice::get_device(size_t row_idx, size_t col_idx) const {
  return get_device(MeshCoordinate(static_cast<uint32_t>(row_idx), static_cast<uint32_t>(col_idx)));
}

bool MeshDevice::is_local(const MeshCoordinate& coord) const {
  return get_device(coord) != nullptr;
}

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<uint8_t> cq_id) const {
  const uint8_t id = cq_id.value_or(0);
  command_queue(id);  // throws when there is no such queue
  return *queues_[id];
}

void MeshDevice::quiesce_devices() { synchronize(); }

MeshTraceId MeshDevice::begin_mesh_trace(uint8_t cq_id) {
  return MeshTraceId(tt::tt_metal::BeginTraceCapture(static_cast<IDevice*>(this), cq_id));
}

void MeshDevice::begin_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id) {
  begin_trace(cq_id, *trace_id);
}

void MeshDevice::end_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id) {
  end_trace(cq_id, *trace_id);
}

void MeshDevice::replay_mesh_trace(uint8_t cq_id, const MeshTraceId& trace_id, bool blocking) {
  replay_trace(cq_id, *trace_id, blocking);
}

void MeshDevice::release_mesh_trace(const MeshTraceId& trace_id) { release_trace(*trace_id); }

std::string MeshDevice::to_string() const {
  std::ostringstream out;
  out << *this;
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const MeshDevice& mesh_device) {
  return out << "MeshDevice(" << mesh_device.shape() << ", device " << mesh_device.id() << ")";
}

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

GlobalSemaphore CreateGlobalSemaphore(distributed::MeshDevice& device, const CoreRangeSet& cores,
                                      uint32_t initial_value, BufferType buffer_type) {
  return CreateGlobalSemaphore(&device, cores, initial_value, buffer_type);
}

}  // namespace tt::tt_metal
