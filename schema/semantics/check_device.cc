// Devices and sub-devices.
#include <algorithm>
#include <string>

#include "base/cpu_profile.h"
#include "base/round.h"
#include "base/status.h"
#include "host/device.h"
#include "host/memory.h"
#include "schema/commands/profile.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/profile_limits.h"
#include "schema/text.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr size_t kSubDeviceIds = 256;       // ids have a byte: a longer list names one twice
constexpr uint64_t kSubDeviceBytes = 4096;  // about what the host keeps of a sub-device
constexpr uint8_t kDispatchCoreTypes = 2;
constexpr size_t kMeshDimensions = 8;                 // more than any mesh has
constexpr uint64_t kDeviceBytes = uint64_t{1} << 20;  // about what the host keeps of a device

// The rule of the backend that the file was recorded on, as far as it is known without that
// backend.
absl::Status check_backend(const Object& object, const std::string& backend,
                           const ::lightmetal::DeviceProfile& profile) {
  if (backend != "cpu") return absl::OkStatus();
  const absl::Status status = check_cpu_profile(profile);
  return status.ok() ? status : not_now(object, status.message());
}

absl::Status check_numbers(const CreateDevice& call, const ::lightmetal::DeviceProfile& profile) {
  const Object object{"device", call.id()};
  if (call.dispatch_core_type() >= kDispatchCoreTypes) {
    return of_files_alone(wrong(object, "dispatch_core_type",
                                static_cast<int>(call.dispatch_core_type()), "less than ",
                                static_cast<int>(kDispatchCoreTypes)));
  }
  return about(object, host::check_request({.chip_id = call.chip_id(),
                                            .num_queues = call.num_hw_cqs(),
                                            .l1_small_size = call.l1_small_size(),
                                            .trace_region_size = call.trace_region_size()},
                                           profile));
}

// Only files can say it wrongly: the API takes it from a mesh.
absl::Status check_mesh_place(const Object& object, const MeshPlace* place) {
  if (place == nullptr) return absl::OkStatus();
  const auto& shape = *place->shape();
  const auto& coordinate = *place->coordinate();
  if (shape.size() == 0 || shape.size() > kMeshDimensions) {
    return wrong(object, "mesh_place.shape", absl::StrCat(shape.size(), " numbers"), "1 to ",
                 kMeshDimensions);
  }
  if (coordinate.size() != shape.size()) {
    return wrong(object, "mesh_place.coordinate", absl::StrCat(coordinate.size(), " numbers"),
                 shape.size(), ", as many as the shape");
  }
  for (flatbuffers::uoffset_t i = 0; i < shape.size(); ++i) {
    if (coordinate[i] < shape[i]) continue;
    return wrong(object, "mesh_place.coordinate", coordinate[i], "less than ", shape[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CoreSet>> sub_devices_of(const SubDeviceManagerCreate& call,
                                                    const Core& grid) {
  const Object object{"sub device manager", call.id()};
  const size_t count = call.sub_devices() == nullptr ? 0 : call.sub_devices()->size();
  LM_RETURN_IF_ERROR(about(object, host::check_num_sub_devices(count)));
  // As in the host API: all ranges become sets of cores before a rule asks about one of them.
  std::vector<CoreSet> sets;
  for (const SubDevice* sub_device : *call.sub_devices()) {
    LM_ASSIGN_OR_RETURN(cores, core_set_of(sub_device->cores(), object, "sub_devices.cores"));
    sets.push_back(std::move(cores));
  }
  std::vector<CoreSet> sub_devices;
  for (CoreSet& cores : sets) {
    LM_RETURN_IF_ERROR(about(object, host::check_cores_of_sub_device(sub_devices, cores, grid)));
    sub_devices.push_back(std::move(cores));
  }
  return sub_devices;
}

// The manager belongs to the device.
absl::Status check_manager(const SubDeviceManagerState& manager, const DeviceState& device) {
  return about(manager.object(), host::check_manager(manager.id, manager.device == &device));
}

// No buffer lies in the memory of the device's sub-devices. REQUIRES: the device is divided.
absl::Status check_has_no_buffers(const DeviceState& device) {
  const SubDeviceManagerState& loaded = *device.loaded;
  for (size_t i = 0; i < loaded.memory.size(); ++i) {
    LM_RETURN_IF_ERROR(
        about(device.object(),
              host::check_has_no_buffer(loaded.id, i, loaded.memory[i]->l1.lowest_allocated())));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Checker::Device> Checker::open_device(uint64_t id) const {
  LM_ASSIGN_OR_RETURN(device, devices_.find(id));
  LM_RETURN_IF_ERROR(about(device->object(), host::check_open(id, device->open)));
  return device;
}

absl::StatusOr<Checker::Queue> Checker::queue(uint64_t device, uint8_t number) const {
  LM_ASSIGN_OR_RETURN(of, open_device(device));
  LM_RETURN_IF_ERROR(about(of->object(), host::check_queue(device, of->queues.size(), number)));
  return Queue{std::move(of), number};
}

absl::Status Checker::check_sub_devices(const DeviceState& device,
                                        const flatbuffers::Vector<uint8_t>* sub_devices) const {
  if (sub_devices == nullptr) return absl::OkStatus();
  if (sub_devices->size() > kSubDeviceIds) {
    return wrong(device.object(), "sub_devices", absl::StrCat(sub_devices->size(), " ids"),
                 "at most ", kSubDeviceIds, ", as many as there can be");
  }
  for (const uint8_t sub_device : *sub_devices) {
    LM_RETURN_IF_ERROR(
        about(device.object(), host::check_is_loaded(device.num_sub_devices(), sub_device)));
  }
  return absl::OkStatus();
}

absl::Status Checker::check_chip(const CreateDevice& call) const {
  const bool is_free = std::ranges::none_of(
      open_devices_, [&](const Device& other) { return other->chip_id == call.chip_id(); });
  return about(Object{"device", call.id()}, host::check_chip_is_free(call.chip_id(), is_free));
}

absl::Status Checker::check(const CreateDevice& call) {
  const Object object{"device", call.id()};
  auto device = std::make_shared<DeviceState>();
  device->id = call.id();
  device->chip_id = call.chip_id();
  device->profile = to_profile(*call.profile());
  // The limits of profiles come first: everything after them computes with the profile.
  LM_RETURN_IF_ERROR(of_files_alone(check_profile(object, device->profile)));
  LM_RETURN_IF_ERROR(
      of_files_alone(check_backend(object, schema::text_of(call.backend()), device->profile)));
  LM_RETURN_IF_ERROR(check_numbers(call, device->profile));
  LM_RETURN_IF_ERROR(of_files_alone(check_mesh_place(object, call.mesh_place())));
  LM_RETURN_IF_ERROR(check_chip(call));
  auto memory = host::memory_of(device->profile, call.l1_small_size(), call.trace_region_size());
  LM_RETURN_IF_ERROR(about(object, memory.status()));
  device->l1_small_size = call.l1_small_size();
  device->memory = std::make_shared<host::Memory>(*std::move(memory));
  device->queues.resize(call.num_hw_cqs());
  LM_RETURN_IF_ERROR(device->charge->add(budget_, kDeviceBytes));
  device->number = device_memory_.size();
  device_memory_.push_back({.device = call.id()});
  open_devices_.push_back(device);
  devices_.add(call.id(), std::move(device));
  return absl::OkStatus();
}

absl::Status Checker::check(const CloseDevice& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_RETURN_IF_ERROR(block_on_all(device));
  device->open = false;
  device->charge->release();
  device->loaded = nullptr;
  // Buffers may outlive the device's closing and keep this state alive: it lets go of everything
  // that is large.
  device->queues.clear();
  device->touched_dram = {};
  device->touched_cores = absl::flat_hash_set<uint64_t>();
  for (const uint64_t manager : device->managers) managers_.remove(manager);
  for (const uint64_t trace : device->traces) traces_.remove(trace);
  std::erase(open_devices_, device);
  devices_.remove(call.device());
  return absl::OkStatus();
}

absl::Status Checker::check(const SubDeviceManagerCreate& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(sub_devices, sub_devices_of(call, device->profile.grid));
  // The host API accepts more memory than the device has, and refuses it only when the manager is
  // loaded. This limit keeps the sums below from overflowing.
  if (call.local_l1_size() > uint64_t{1} << 62) {
    return of_files_alone(wrong({"sub device manager", call.id()}, "local_l1_size",
                                call.local_l1_size(), "at most ", uint64_t{1} << 62));
  }
  auto manager = std::make_shared<SubDeviceManagerState>();
  manager->id = call.id();
  manager->device = device.get();
  manager->sub_devices = std::move(sub_devices);
  manager->local_l1_size = round_up(call.local_l1_size(), device->profile.l1_alignment);
  while (manager->local_l1_size != 0 && manager->memory.size() < manager->sub_devices.size()) {
    manager->memory.push_back(
        std::make_shared<host::Memory>(device->memory->of_sub_device(manager->local_l1_size)));
  }
  LM_RETURN_IF_ERROR(manager->charge.add(budget_, manager->sub_devices.size() * kSubDeviceBytes));
  device->managers.insert(call.id());
  return add(managers_, std::move(manager));
}

absl::Status Checker::check(const SubDeviceManagerRemove& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(manager, managers_.find(call.manager()));
  LM_RETURN_IF_ERROR(check_manager(*manager, *device));
  LM_RETURN_IF_ERROR(
      about(manager->object(), host::check_can_be_removed(manager->id, device->loaded == manager)));
  device->managers.erase(call.manager());
  managers_.remove(call.manager());
  return absl::OkStatus();
}

absl::Status Checker::check(const SubDeviceManagerLoad& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(manager, managers_.find(call.manager()));
  LM_RETURN_IF_ERROR(check_manager(*manager, *device));
  return exchange_manager(device, manager);
}

absl::Status Checker::check(const SubDeviceManagerClear& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  return exchange_manager(device, nullptr);
}

absl::Status Checker::exchange_manager(const Device& device,
                                       std::shared_ptr<SubDeviceManagerState> manager) {
  // As in the host API, the old division has to be free of buffers, and the queues empty, before
  // memory changes hands.
  if (device->is_divided()) LM_RETURN_IF_ERROR(check_has_no_buffers(*device));
  LM_RETURN_IF_ERROR(block_on_all(device));
  LM_RETURN_IF_ERROR(about(device->object(), device->memory->leave_to_sub_devices(
                                                 manager == nullptr ? 0 : manager->local_l1_size)));
  device->loaded = std::move(manager);
  return absl::OkStatus();
}

absl::Status Checker::check(const SubDeviceStallGroupSet& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  const size_t count = call.sub_devices() == nullptr ? 0 : call.sub_devices()->size();
  LM_RETURN_IF_ERROR(about(device->object(), host::check_stall_group(count)));
  return check_sub_devices(*device, call.sub_devices());
}

absl::Status Checker::check(const SubDeviceStallGroupReset& call) {
  return open_device(call.device()).status();
}

}  // namespace lightmetal::schema::semantics
