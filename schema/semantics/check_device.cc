// Devices and sub-devices.
#include <algorithm>
#include <string>

#include "base/cpu_profile.h"
#include "base/round.h"
#include "base/status.h"
#include "schema/profile.h"
#include "schema/semantics/checker.h"
#include "schema/semantics/profile_limits.h"
#include "schema/text.h"

namespace lightmetal::schema::semantics {
namespace {

constexpr uint32_t kMaxDevices = 8;         // as api/src/device_registry.h has it
constexpr size_t kMostSubDevices = 8;       // as api/src/sub_devices.cc has it
constexpr size_t kSubDeviceIds = 256;       // a longer list names one twice
constexpr uint64_t kSubDeviceBytes = 4096;  // what the host keeps of one and its memory, about
constexpr uint8_t kDispatchCoreTypes = 2;
constexpr uint64_t kDeviceBytes = uint64_t{1} << 20;  // what the host keeps of one, about

std::shared_ptr<FreeList> free_list(const MemoryRegion& region) {
  return std::make_shared<FreeList>(region.begin, region.end);
}

// A backend's own rule, so far as it is known without that backend.
absl::Status check_backend(const Object& object, const std::string& backend,
                           const ::lightmetal::DeviceProfile& profile) {
  if (backend != "cpu") return absl::OkStatus();
  const absl::Status status = check_cpu_profile(profile);
  return status.ok() ? status : not_now(object, status.message());
}

absl::Status check_numbers(const CreateDevice& call, const ::lightmetal::DeviceProfile& profile) {
  const Object object{"device", call.id()};
  if (call.chip_id() >= kMaxDevices) {
    return wrong(object, "chip_id", call.chip_id(), "0 to ", kMaxDevices - 1);
  }
  if (call.num_hw_cqs() == 0 || call.num_hw_cqs() > profile.max_command_queues) {
    return wrong(object, "num_hw_cqs", static_cast<int>(call.num_hw_cqs()), "1 to ",
                 profile.max_command_queues);
  }
  if (call.dispatch_core_type() >= kDispatchCoreTypes) {
    return of_files_alone(wrong(object, "dispatch_core_type",
                                static_cast<int>(call.dispatch_core_type()), "less than ",
                                static_cast<int>(kDispatchCoreTypes)));
  }
  if (call.l1_small_size() > profile.l1_size - profile.l1_unreserved_base) {
    return wrong(object, "l1_small_size", call.l1_small_size(), "at most ",
                 profile.l1_size - profile.l1_unreserved_base, ", what is free of L1");
  }
  if (call.trace_region_size() > profile.dram_bank_size - profile.dram_unreserved_base) {
    return wrong(object, "trace_region_size", call.trace_region_size(), "at most ",
                 profile.dram_bank_size - profile.dram_unreserved_base,
                 ", what is free of a DRAM bank");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CoreSet>> sub_devices_of(const SubDeviceManagerCreate& call,
                                                    const Core& grid) {
  const Object object{"sub device manager", call.id()};
  const size_t count = call.sub_devices() == nullptr ? 0 : call.sub_devices()->size();
  if (count == 0 || count > kMostSubDevices) {
    return wrong(object, "sub_devices", absl::StrCat(count, " sub-devices"), "1 to ",
                 kMostSubDevices);
  }
  std::vector<CoreSet> sub_devices;
  CoreSet taken;
  for (const SubDevice* sub_device : *call.sub_devices()) {
    LM_ASSIGN_OR_RETURN(cores, core_set_of(sub_device->cores(), object, "sub_devices.cores"));
    if (cores.empty() || !cores.fits(grid) || cores.intersects(taken)) {
      return wrong(object, "sub_devices.cores", absl::StrCat("a set of ", cores.count(), " cores"),
                   "at least one core of the grid of ", text_of(grid),
                   ", and none that another sub-device has");
    }
    taken.add(cores);
    sub_devices.push_back(cores);
  }
  return sub_devices;
}

}  // namespace

absl::StatusOr<Checker::Device> Checker::open_device(uint64_t id) const {
  LM_ASSIGN_OR_RETURN(device, devices_.find(id));
  if (device->open) return device;
  return not_now(device->object(), "it has been closed");
}

absl::StatusOr<Checker::Queue> Checker::queue(uint64_t device, uint8_t number) const {
  LM_ASSIGN_OR_RETURN(of, open_device(device));
  if (number < of->queues.size()) return Queue{std::move(of), number};
  return wrong(of->object(), "cq", static_cast<int>(number), "less than ", of->queues.size(),
               ", the number of its queues");
}

absl::Status Checker::check_sub_devices(const DeviceState& device,
                                        const flatbuffers::Vector<uint8_t>* sub_devices) const {
  if (sub_devices == nullptr) return absl::OkStatus();
  if (sub_devices->size() > kSubDeviceIds) {
    return wrong(device.object(), "sub_devices", absl::StrCat(sub_devices->size(), " ids"),
                 "at most ", kSubDeviceIds, ", as many as there can be");
  }
  for (const uint8_t sub_device : *sub_devices) {
    if (sub_device < device.num_sub_devices()) continue;
    return wrong(device.object(), "sub_devices", static_cast<int>(sub_device), "less than ",
                 device.num_sub_devices(), ", the number of sub-devices that are loaded");
  }
  return absl::OkStatus();
}

absl::Status Checker::check_chip(const CreateDevice& call) const {
  for (const Device& other : open_devices_) {
    if (other->chip_id != call.chip_id()) continue;
    return wrong({"device", call.id()}, "chip_id", call.chip_id(),
                 "a chip that is not open: device ", other->id, " is");
  }
  return absl::OkStatus();
}

absl::Status Checker::check(const CreateDevice& call) {
  const Object object{"device", call.id()};
  auto device = std::make_shared<DeviceState>();
  device->id = call.id();
  device->chip_id = call.chip_id();
  device->profile = to_profile(*call.profile());
  LM_RETURN_IF_ERROR(of_files_alone(check_profile(object, device->profile)));
  LM_RETURN_IF_ERROR(
      of_files_alone(check_backend(object, schema::text_of(call.backend()), device->profile)));
  LM_RETURN_IF_ERROR(check_numbers(call, device->profile));
  LM_RETURN_IF_ERROR(check_chip(call));
  const auto memory = memory_of(device->profile, call.l1_small_size(), call.trace_region_size());
  if (!memory.ok()) return not_now(object, memory.status().message());
  device->l1_small_size = call.l1_small_size();
  device->dram = free_list(memory->dram);
  device->trace = free_list(memory->trace);
  device->l1 = free_list(memory->l1);
  device->l1_small = free_list(memory->l1_small);
  device->queues.resize(call.num_hw_cqs());
  LM_RETURN_IF_ERROR(device->charge->add(budget_, kDeviceBytes));
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
  // Buffers may keep what is left of it.
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
  // Memory that no device has is legal until it is loaded.
  if (call.local_l1_size() > uint64_t{1} << 62) {
    return of_files_alone(wrong({"sub device manager", call.id()}, "local_l1_size",
                                call.local_l1_size(), "at most ", uint64_t{1} << 62));
  }
  auto manager = std::make_shared<SubDeviceManagerState>();
  manager->id = call.id();
  manager->device = device.get();
  manager->sub_devices = std::move(sub_devices);
  manager->local_l1_size = round_up(call.local_l1_size(), device->profile.l1_alignment);
  const uint64_t begin = round_up(device->profile.l1_unreserved_base, device->profile.l1_alignment);
  while (manager->local_l1_size != 0 && manager->memory.size() < manager->sub_devices.size()) {
    manager->memory.push_back(free_list({begin, begin + manager->local_l1_size}));
  }
  LM_RETURN_IF_ERROR(manager->charge.add(budget_, manager->sub_devices.size() * kSubDeviceBytes));
  device->managers.insert(call.id());
  return add(managers_, std::move(manager));
}

absl::Status Checker::check(const SubDeviceManagerRemove& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(manager, managers_.find(call.manager()));
  if (manager->device != device.get() || device->loaded == manager) {
    return wrong({"sub device manager", call.manager()}, "device", call.device(),
                 "the device that it divides, ", manager->device->id,
                 ", while it is not loaded there");
  }
  device->managers.erase(call.manager());
  managers_.remove(call.manager());
  return absl::OkStatus();
}

absl::Status Checker::check(const SubDeviceManagerLoad& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  LM_ASSIGN_OR_RETURN(manager, managers_.find(call.manager()));
  if (manager->device != device.get()) {
    return wrong({"sub device manager", call.manager()}, "device", call.device(),
                 "the device that it divides, ", manager->device->id);
  }
  return exchange_manager(device, manager);
}

absl::Status Checker::check(const SubDeviceManagerClear& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  return exchange_manager(device, nullptr);
}

absl::Status Checker::exchange_manager(const Device& device,
                                       std::shared_ptr<SubDeviceManagerState> manager) {
  if (device->is_divided()) {
    for (const auto& memory : device->loaded->memory) {
      if (!memory->lowest_allocated().has_value()) continue;
      return not_now(
          device->object(), "a buffer lies at address ", *memory->lowest_allocated(),
          " in the memory of a sub-device, expected none while its manager is exchanged");
    }
  }
  LM_RETURN_IF_ERROR(block_on_all(device));
  const uint64_t base = round_up(device->profile.l1_unreserved_base, device->profile.l1_alignment);
  const uint64_t local_size = manager == nullptr ? 0 : manager->local_l1_size;
  if (local_size > device->l1->end() - base || !device->l1->move_begin(base + local_size)) {
    return not_now(device->object(), "its sub-devices are to have ", local_size,
                   " bytes of L1 each, expected at most the ", device->l1->end() - base,
                   " bytes below its l1_small region, and no buffer in them");
  }
  device->loaded = std::move(manager);
  return absl::OkStatus();
}

absl::Status Checker::check(const SubDeviceStallGroupSet& call) {
  LM_ASSIGN_OR_RETURN(device, open_device(call.device()));
  if (call.sub_devices() == nullptr || call.sub_devices()->size() == 0) {
    return wrong(device->object(), "sub_devices", "empty", "at least one sub-device");
  }
  return check_sub_devices(*device, call.sub_devices());
}

absl::Status Checker::check(const SubDeviceStallGroupReset& call) {
  return open_device(call.device()).status();
}

}  // namespace lightmetal::schema::semantics
