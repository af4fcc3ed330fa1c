// Making and closing meshes, and what they are made of. Meshes call the functions of host_api.hpp
// for their devices, which record themselves, so there is no command for meshes.
#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/system_mesh.hpp>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "api/src/mesh/mesh_of_devices.h"
#include "api/src/opening/create_devices.h"
#include "base/mesh_place.h"
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

// The devices that a configuration asks for, and the shape in which they lie.
SystemMesh::MappedDevices mapped_devices_of(const MeshDeviceConfig& config) {
  const std::vector<chip_id_t>& ids = config.physical_device_ids();
  if (ids.empty()) {
    return SystemMesh::instance().get_mapped_devices(config.mesh_shape(), config.offset());
  }
  const MeshShape shape =
      config.mesh_shape().value_or(MeshShape(1, static_cast<uint32_t>(ids.size())));
  TT_FATAL(shape.mesh_size() == ids.size(), "A mesh of {} has {} devices and was given {} ids",
           shape, shape.mesh_size(), ids.size());
  const std::set<chip_id_t> different(ids.begin(), ids.end());
  TT_FATAL(different.size() == ids.size(), "A mesh of {} was given a device id twice", shape);
  return {.device_ids = ids, .fabric_node_ids = {}, .mesh_shape = shape};
}

// Opens the devices of a mesh, each with its place there, or none when one cannot be opened.
std::vector<std::shared_ptr<MeshDevice>> owners_of(const SystemMesh::MappedDevices& mapped,
                                                   DeviceParameters parameters) {
  const auto numbers = [](tt::stl::Span<const uint32_t> of) {
    return std::vector<uint32_t>(of.begin(), of.end());
  };
  std::map<chip_id_t, lightmetal::MeshPlace> places;
  size_t device = 0;
  for (const MeshCoordinate& coordinate : MeshCoordinateRange(mapped.mesh_shape)) {
    places[mapped.device_ids[device++]] = {numbers(mapped.mesh_shape.view()),
                                           numbers(coordinate.coords())};
  }
  lightmetal::MutexLock lock(&Owners::get().mutex);
  const auto devices = create_all_or_none(mapped.device_ids, [&](chip_id_t id) {
    parameters.chip_id = id;
    parameters.mesh_place = places.at(id);
    return open_or_find(parameters);
  });
  std::vector<std::shared_ptr<MeshDevice>> owners;
  for (const chip_id_t id : mapped.device_ids) owners.push_back(owned(devices.at(id)));
  return owners;
}

uint8_t queue_count(size_t num_command_queues) {
  TT_FATAL(num_command_queues <= std::numeric_limits<uint8_t>::max(),
           "{} command queues are more than any device has", num_command_queues);
  return static_cast<uint8_t>(num_command_queues);
}

}  // namespace

MeshDevice::MeshDevice(uint8_t num_command_queues)
    : devices_{this}, view_(std::make_unique<MeshDeviceView>(MeshShape(1, 1), devices_)) {
  make_queues(num_command_queues);
}

MeshDevice::MeshDevice(const MeshShape& shape, std::vector<IDevice*> devices,
                       std::shared_ptr<MeshDevice> parent)
    : devices_(std::move(devices)),
      view_(std::make_unique<MeshDeviceView>(shape, devices_)),
      parent_(std::move(parent)) {
  make_queues(devices_.front()->num_hw_cqs());
}

void MeshDevice::make_queues(uint8_t count) {
  for (uint8_t id = 0; id < count; ++id) {
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
  const SystemMesh::MappedDevices mapped = mapped_devices_of(config);
  if (mapped.mesh_shape == MeshShape(1, 1)) {
    return create_unit_mesh(mapped.device_ids.front(), l1_small_size, trace_region_size,
                            num_command_queues, dispatch_core_config, l1_bank_remap,
                            worker_l1_size);
  }
  return std::make_shared<MeshOfDevices>(
      mapped.mesh_shape,
      owners_of(mapped, {.num_hw_cqs = queue_count(num_command_queues),
                         .l1_small_size = l1_small_size,
                         .trace_region_size = trace_region_size,
                         .dispatch = dispatch_core_config,
                         .l1_bank_remap = {l1_bank_remap.begin(), l1_bank_remap.end()}}));
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

// ---- Devices ----

DeviceIds MeshDevice::get_device_ids() const {
  DeviceIds ids;
  for (const IDevice* device : devices_) ids.push_back(device->id());
  return ids;
}

IDevice* MeshDevice::get_device(chip_id_t physical_device_id) const {
  return get_device(view_->find_device(physical_device_id));
}

IDevice* MeshDevice::get_device(size_t row_idx, size_t col_idx) const {
  return view_->get_device(row_idx, col_idx);
}

IDevice& MeshDevice::only_device() const {
  TT_FATAL(devices_.size() == 1,
           "{} is no single device, which this call takes: get_device(coordinate) gives one",
           to_string());
  return *devices_.front();
}

void MeshDevice::reshape(const MeshShape& new_shape) {
  TT_FATAL(new_shape.mesh_size() == devices_.size(),
           "A mesh of {} cannot become one of {}: {} devices are not {}", shape(), new_shape,
           devices_.size(), new_shape.mesh_size());
  view_ = std::make_unique<MeshDeviceView>(new_shape, devices_);
}

// ---- Submeshes ----

std::shared_ptr<MeshDevice> MeshDevice::create_submesh(
    const MeshShape& submesh_shape, const std::optional<MeshCoordinate>& offset) {
  TT_FATAL(submesh_shape.dims() == shape().dims() && submesh_shape.mesh_size() > 0,
           "A submesh of {} has other dimensions than its mesh, {}", submesh_shape, shape());
  const MeshCoordinate begin =
      offset.value_or(MeshCoordinate::zero_coordinate(submesh_shape.dims()));
  begin.to_linear_index(shape());  // throws outside of the mesh
  const MeshCoordinateRange in_submesh(submesh_shape);
  std::vector<IDevice*> devices;
  for (MeshCoordinate coord : in_submesh) {
    for (int32_t dim = 0; dim < static_cast<int32_t>(coord.dims()); ++dim) coord[dim] += begin[dim];
    devices.push_back(get_device(coord));  // throws outside of the mesh
  }
  auto submesh =
      std::make_shared<MeshOfDevices>(submesh_shape, std::move(devices), weak_from_this().lock());
  const std::lock_guard lock(submeshes_mutex_);
  std::erase_if(submeshes_, [](const auto& other) { return other.expired(); });
  submeshes_.push_back(submesh);
  return submesh;
}

std::vector<std::shared_ptr<MeshDevice>> MeshDevice::create_submeshes(
    const MeshShape& submesh_shape) {
  TT_FATAL(submesh_shape.dims() == shape().dims() && submesh_shape.mesh_size() > 0,
           "A submesh of {} has other dimensions than its mesh, {}", submesh_shape, shape());
  std::vector<uint32_t> counts;
  for (int32_t dim = 0; dim < static_cast<int32_t>(shape().dims()); ++dim) {
    TT_FATAL(shape()[dim] % submesh_shape[dim] == 0, "Submeshes of {} do not divide a mesh of {}",
             submesh_shape, shape());
    counts.push_back(shape()[dim] / submesh_shape[dim]);
  }
  std::vector<std::shared_ptr<MeshDevice>> submeshes;
  const MeshCoordinateRange grid((MeshShape(tt::stl::Span<const uint32_t>(counts))));
  for (MeshCoordinate offset : grid) {
    for (int32_t dim = 0; dim < static_cast<int32_t>(offset.dims()); ++dim) {
      offset[dim] *= submesh_shape[dim];
    }
    submeshes.push_back(create_submesh(submesh_shape, offset));
  }
  return submeshes;
}

std::vector<std::shared_ptr<MeshDevice>> MeshDevice::get_submeshes() const {
  std::vector<std::shared_ptr<MeshDevice>> living;
  const std::lock_guard lock(submeshes_mutex_);
  for (const auto& submesh : submeshes_) {
    if (auto mesh = submesh.lock()) living.push_back(std::move(mesh));
  }
  return living;
}

// ---- Queues ----

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<uint8_t> cq_id) const {
  const uint8_t id = cq_id.value_or(GetCurrentCommandQueueIdForThread());
  devices_.front()->command_queue(id);  // throws when there is no such queue
  TT_FATAL(is_initialized(), "{} has been closed", to_string());
  return *queues_[id];
}

void MeshDevice::quiesce_devices() { synchronize(); }

std::string MeshDevice::to_string() const {
  std::ostringstream out;
  out << *this;
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const MeshDevice& mesh_device) {
  out << "MeshDevice(" << mesh_device.shape();
  const char* separator = mesh_device.num_devices() == 1 ? ", device " : ", devices ";
  for (const int id : mesh_device.get_device_ids()) {
    out << separator << id;
    separator = ", ";
  }
  return out << ")";
}

}  // namespace tt::tt_metal::distributed

namespace tt::tt_metal {

GlobalSemaphore CreateGlobalSemaphore(distributed::MeshDevice& device, const CoreRangeSet& cores,
                                      uint32_t initial_value, BufferType buffer_type) {
  return CreateGlobalSemaphore(&device, cores, initial_value, buffer_type);
}

}  // namespace tt::tt_metal
