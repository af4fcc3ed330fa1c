// Executes commands about sub-devices and global circular buffers.
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

std::vector<tm::SubDevice> sub_devices_of(const schema::SubDeviceManagerCreate& call) {
  std::vector<tm::SubDevice> sub_devices;
  if (call.sub_devices() == nullptr) return sub_devices;
  for (const schema::SubDevice* each : *call.sub_devices()) {
    const CoreRangeSet cores = ranges_of(each->cores());
    sub_devices.emplace_back(std::span<const CoreRangeSet>(&cores, 1));
  }
  return sub_devices;
}

std::vector<std::pair<CoreCoord, CoreRangeSet>> mapping_of(
    const schema::GlobalCircularBufferCreate& call) {
  std::vector<std::pair<CoreCoord, CoreRangeSet>> mapping;
  if (call.mapping() == nullptr) return mapping;
  for (const schema::SenderToReceivers* each : *call.mapping()) {
    mapping.emplace_back(core_of(*each->sender()), ranges_of(each->receivers()));
  }
  return mapping;
}

}  // namespace

absl::Status Executor::execute(const schema::SubDeviceManagerCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  const std::vector<tm::SubDevice> sub_devices = sub_devices_of(call);
  const tm::SubDeviceManagerId id = of_device->create_sub_device_manager(
      tt::stl::Span<const tm::SubDevice>(sub_devices.data(), sub_devices.size()),
      call.local_l1_size());
  return objects_.sub_device_managers.add(call.id(), {of_device, id});
}

absl::Status Executor::execute(const schema::SubDeviceManagerRemove& call) {
  LM_ASSIGN_OR_RETURN(removed, objects_.sub_device_managers.remove(call.manager()));
  removed.device->remove_sub_device_manager(removed.id);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SubDeviceManagerLoad& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(manager, objects_.sub_device_managers.find(call.manager()));
  of_device->load_sub_device_manager(manager->id);
  return reads_.settle(of_device);
}

absl::Status Executor::execute(const schema::SubDeviceManagerClear& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  of_device->clear_loaded_sub_device_manager();
  return reads_.settle(of_device);
}

absl::Status Executor::execute(const schema::SubDeviceStallGroupSet& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  of_device->set_sub_device_stall_group(replay::sub_devices_of(call.sub_devices()));
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::SubDeviceStallGroupReset& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  of_device->reset_sub_device_stall_group();
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::GlobalCircularBufferCreate& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(memory, objects_.buffers.find(call.buffer()));
  LM_ASSIGN_OR_RETURN(config_memory, objects_.buffers.find(call.config_buffer()));
  return objects_.global_circular_buffers.add(
      call.id(), hooks::create_global_circular_buffer(
                     of_device, mapping_of(call), call.size(),
                     static_cast<tm::BufferType>(call.buffer_type()), *memory, *config_memory));
}

absl::Status Executor::execute(const schema::GlobalCircularBufferDestroy& call) {
  return objects_.global_circular_buffers.remove(call.global_circular_buffer()).status();
}

absl::Status Executor::execute(const schema::CircularBufferCreateOnGlobal& call) {
  LM_ASSIGN_OR_RETURN(owner, objects_.programs.find(call.program()));
  LM_ASSIGN_OR_RETURN(global, objects_.global_circular_buffers.find(call.global_circular_buffer()));
  const tm::CBHandle handle = tm::experimental::CreateCircularBuffer(
      *owner->program, ranges_of(call.cores()), config_of(*call.config()), *global);
  owner->circular_buffers.push_back(call.id());
  return objects_.circular_buffers.add(call.id(), {owner->program.get(), handle});
}

absl::Status Executor::execute(const schema::UpdateDynamicCircularBufferGlobal& call) {
  LM_ASSIGN_OR_RETURN(target, circular_buffer(call.circular_buffer()));
  LM_ASSIGN_OR_RETURN(global, objects_.global_circular_buffers.find(call.global_circular_buffer()));
  tm::experimental::UpdateDynamicCircularBufferAddress(*target->program, target->handle, *global);
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
