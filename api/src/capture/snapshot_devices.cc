// Sub-devices and device traces, as commands that make them anew.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "api/src/capture/snapshot_parts.h"
#include "api/src/devices/device_impl.h"
#include "api/src/record/record.h"

namespace tt::tt_metal::snapshot {
namespace {

// Records loads of managers, and remembers which manager the replayed device has loaded by now, so
// that none is loaded twice in a row.
class ManagerLoader {
 public:
  explicit ManagerLoader(const DeviceImpl& device)
      : device_(device), loaded_(device.sub_devices().default_id()) {}

  void load(SubDeviceManagerId manager) {
    if (manager == loaded_) return;
    loaded_ = manager;
    if (manager == device_.sub_devices().default_id()) {
      record<schema::SubDeviceManagerClear>(device_);
    } else {
      record<schema::SubDeviceManagerLoad>(device_, ManagerOn{device_, manager});
    }
  }

 private:
  const DeviceImpl& device_;
  SubDeviceManagerId loaded_;
};

// Records the traces that were captured or loaded while that manager was loaded: a replay can only
// load them then.
void record_traces(const DeviceImpl& device, SubDeviceManagerId manager, ManagerLoader& loader) {
  for (const auto& [trace_id, trace] : device.traces()) {
    if (trace->sub_device_manager != *manager) continue;
    loader.load(manager);
    record<schema::LoadTrace>(TraceOn{device, trace_id}, device, uint8_t{0}, *trace);
  }
}

}  // namespace

void record_sub_devices_and_traces(const IDevice& opened) {
  const DeviceImpl& device = impl_of(opened);
  const SubDevices& sub_devices = device.sub_devices();
  const auto managers = sub_devices.managers();
  for (const auto& manager : managers) {
    record<schema::SubDeviceManagerCreate>(ManagerOn{device, manager->id}, device,
                                           manager->sub_devices, manager->local_l1_size);
  }
  ManagerLoader loader(device);
  // The default manager's traces come first: a device begins with that manager loaded.
  record_traces(device, sub_devices.default_id(), loader);
  for (const auto& manager : managers) record_traces(device, manager->id, loader);
  const auto loaded = sub_devices.loaded();
  loader.load(loaded->id);
  const std::vector<SubDeviceId> stall_group = sub_devices.copy_of_stall_group();
  if (stall_group != loaded->sub_device_ids) {
    record<schema::SubDeviceStallGroupSet>(device, stall_group);
  }
}

}  // namespace tt::tt_metal::snapshot
