// Opening and closing devices, and the record of that.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/logger.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "absl/strings/numbers.h"
#include "api/src/capture/snapshot.h"
#include "api/src/devices/device_impl.h"
#include "api/src/devices/device_registry.h"
#include "api/src/devices/profiler_file.h"
#include "api/src/opening/create_devices.h"
#include "api/src/record/capture_calls.h"
#include "api/src/record/record.h"
#include "api/src/replay_hooks.h"
#include "api/src/support/errors.h"
#include "api/src/values/process_profile.h"
#include "base/byte_size.h"
#include "capture/capture.h"
#include "device/registry/registry.h"
#include "host/device.h"

namespace tt::tt_metal {
namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// The open device with these parameters, whatever mesh it was opened for; null without one. A
// replay's own device has a parameter that no CreateDevice gives.
IDevice* find_open(DeviceParameters parameters) {
  for (IDevice* device : open_devices()) {
    parameters.mesh_place = impl_of(*device).parameters().mesh_place;
    if (impl_of(*device).parameters() == parameters) return device;
  }
  return nullptr;
}

// Bytes of each bank that no buffer of a program gets: the first ones of DRAM and the last ones of
// L1, so that the program's buffers lie elsewhere than those of another one.
struct AllocatorOffset {
  uint64_t dram = 0;
  uint64_t l1 = 0;
};

// The value is "DRAM" or "DRAM,L1".
AllocatorOffset allocator_offset(const lightmetal::DeviceProfile& profile) {
  const std::string text = environment("LIGHTMETAL_ALLOCATOR_OFFSET", "0");
  const size_t comma = std::min(text.find(','), text.size());
  const auto dram = lightmetal::parse_byte_size(text.substr(0, comma));
  const auto l1 = lightmetal::parse_byte_size(comma < text.size() ? text.substr(comma + 1) : "0");
  TT_FATAL(dram.has_value() && l1.has_value() && *dram <= profile.dram_bank_size / 2 &&
               *l1 <= profile.l1_size / 2,
           "LIGHTMETAL_ALLOCATOR_OFFSET is \"{}\": at most half of a DRAM bank, {} B, and after a "
           "comma at most half of L1, {} B, are expected",
           text, profile.dram_bank_size / 2, profile.l1_size / 2);
  return {*dram, *l1};
}

void take(const AllocatorOffset& offset, IDevice& device) {
  Allocator& allocator = *device.allocator();
  if (offset.dram != 0) allocator.allocate(BufferType::DRAM, offset.dram, /*bottom_up=*/true);
  if (offset.l1 != 0) allocator.allocate(BufferType::L1, offset.l1, /*bottom_up=*/false);
}

[[maybe_unused]] void record_opening(IDevice& device) {  // unused without capture
  if constexpr (lightmetal::capture::kEnabled) {
    // Then what a snapshot could not record for want of a device.
    capture_calls::create_device(device);
    record_left_out(device);
  }
}

}  // namespace

std::map<chip_id_t, IDevice*> create_all_or_none(tt::stl::Span<const chip_id_t> ids,
                                                 absl::FunctionRef<IDevice*(chip_id_t)> create) {
  const std::vector<IDevice*> before = open_devices();
  std::map<chip_id_t, IDevice*> devices;
  try {
    for (const chip_id_t id : ids) devices[id] = create(id);
  } catch (...) {
    for (const auto& [id, device] : devices) {
      if (std::ranges::find(before, device) == before.end()) CloseDevice(device);
    }
    throw;
  }
  return devices;
}

size_t GetNumAvailableDevices() {
  const std::string text = environment("LIGHTMETAL_NUM_DEVICES", "8");
  size_t number = 0;
  TT_FATAL(
      absl::SimpleAtoi(text, &number) && number >= 1 && number <= lightmetal::host::kMaxDevices,
      "LIGHTMETAL_NUM_DEVICES is \"{}\": a number from 1 to {} is expected", text,
      lightmetal::host::kMaxDevices);
  return number;
}

bool IsGalaxyCluster() { return false; }
size_t GetNumPCIeDevices() { return GetNumAvailableDevices(); }
chip_id_t GetPCIeDeviceID(chip_id_t device_id) { return device_id; }

IDevice* CreateDevice(chip_id_t device_id, const uint8_t num_hw_cqs, const size_t l1_small_size,
                      const size_t trace_region_size,
                      const DispatchCoreConfig& dispatch_core_config,
                      const std::vector<uint32_t>& l1_bank_remap, size_t /*worker_l1_size*/) {
  return open_or_find({.chip_id = device_id,
                       .num_hw_cqs = num_hw_cqs,
                       .l1_small_size = l1_small_size,
                       .trace_region_size = trace_region_size,
                       .dispatch = dispatch_core_config,
                       .l1_bank_remap = l1_bank_remap});
}

IDevice* open_or_find(DeviceParameters parameters) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("CreateDevice");
  const size_t available = GetNumAvailableDevices();
  TT_FATAL(parameters.chip_id >= 0 && static_cast<size_t>(parameters.chip_id) < available,
           "There is no device {}: {} devices are available", parameters.chip_id, available);
  parameters.backend =
      value_or_throw(lightmetal::device::load_backend(environment("LIGHTMETAL_DEVICE", "cpu")));
  parameters.profile = process_profile();
  if (IDevice* open = find_open(parameters)) {
    log_warning(LogMetal, "Device {} is open already: CreateDevice gives the same device again",
                parameters.chip_id);
    return open;
  }
  const AllocatorOffset offset = allocator_offset(parameters.profile);
  IDevice* device = open_device(std::move(parameters));
  take(offset, *device);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_opening, *device);
  return device;
}

IDevice* CreateDeviceMinimal(chip_id_t device_id, const uint8_t num_hw_cqs,
                             const DispatchCoreConfig& dispatch_core_config) {
  return CreateDevice(device_id, num_hw_cqs, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE,
                      dispatch_core_config);
}

bool CloseDevice(IDevice* device) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& closing = impl_of(device);
  if (!withdraw_device(device)) return false;
  // The file has all calls on the device before its CloseDevice. Orders that are withdrawn are
  // passed over by other threads' calls; then what the other queues were given gets its place; then
  // these orders record all that they have.
  const std::vector<QueueOrder*> orders = closing.orders();
  for (QueueOrder* order : orders) order->withdraw();
  if (light_metal_call_scope.records()) {
    record_effects_of_all_but(nullptr);
    for (QueueOrder* order : orders) order->close();
  }
  // Before the device is shut down, as every end of an object is recorded before it.
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::CloseDevice>, *device);
  absl::Status unseen_error = closing.shut_down();
  unseen_error.Update(profiler_file::write(closing));
  // Only now may the chip be opened again. An error is thrown behind that, so that the device is
  // closed in any case.
  release_chip(closing.id());
  throw_if_error(unseen_error);
  return true;
}

namespace detail {

std::map<chip_id_t, IDevice*> CreateDevices(
    const std::vector<chip_id_t>& device_ids, const uint8_t num_hw_cqs, const size_t l1_small_size,
    const size_t trace_region_size, const DispatchCoreConfig& dispatch_core_config,
    const std::vector<uint32_t>& l1_bank_remap, size_t /*worker_l1_size*/, bool /*init_profiler*/,
    bool /*use_max_eth_core_count_on_all_devices*/, bool /*initialize_fabric_and_dispatch_fw*/) {
  return create_all_or_none(device_ids, [&](chip_id_t id) {
    return CreateDevice(id, num_hw_cqs, l1_small_size, trace_region_size, dispatch_core_config,
                        l1_bank_remap);
  });
}

void CloseDevices(const std::map<chip_id_t, IDevice*>& devices) {
  for (const auto& [id, device] : devices) CloseDevice(device);
}

}  // namespace detail

namespace replay_hooks {

IDevice* create_device(chip_id_t chip_id, uint8_t num_hw_cqs, size_t l1_small_size,
                       size_t trace_region_size, const DispatchCoreConfig& dispatch,
                       const std::vector<uint32_t>& l1_bank_remap, const std::string& backend,
                       const lightmetal::DeviceProfile& profile,
                       const std::optional<lightmetal::MeshPlace>& mesh_place,
                       const std::optional<lightmetal::Schedule>& schedule) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  IDevice* device = open_device({.chip_id = chip_id,
                                 .num_hw_cqs = num_hw_cqs,
                                 .l1_small_size = l1_small_size,
                                 .trace_region_size = trace_region_size,
                                 .dispatch = dispatch,
                                 .l1_bank_remap = l1_bank_remap,
                                 .backend = backend,
                                 .profile = profile,
                                 .mesh_place = mesh_place,
                                 .schedule = schedule,
                                 .of_replay = true});
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_opening, *device);
  return device;
}

const lightmetal::DeviceProfile& profile_of(const IDevice& device) {
  return impl_of(device).profile();
}

const std::optional<lightmetal::MeshPlace>& mesh_place_of(const IDevice& device) {
  return impl_of(device).parameters().mesh_place;
}

const std::string& backend_of(const IDevice& device) {
  return impl_of(device).parameters().backend;
}

}  // namespace replay_hooks
}  // namespace tt::tt_metal
