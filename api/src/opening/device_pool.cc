// The open devices under the names of upstream's pool. It keeps no list of its own:
// device_registry.h has it.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/device_pool.hpp>

#include "api/src/devices/device_registry.h"
#include "api/src/opening/create_devices.h"

namespace tt {
namespace {

using tt_metal::IDevice;

// The device of that id; null when it is not open.
IDevice* find_open(chip_id_t device_id) {
  for (IDevice* device : tt_metal::open_devices()) {
    if (device->id() == device_id) return device;
  }
  return nullptr;
}

}  // namespace

const DevicePool& DevicePool::instance() {
  static const DevicePool pool;
  return pool;
}

void DevicePool::initialize(const std::vector<chip_id_t>& device_ids, uint8_t num_hw_cqs,
                            size_t l1_small_size, size_t trace_region_size,
                            const tt_metal::DispatchCoreConfig& dispatch_core_config,
                            tt::stl::Span<const uint32_t> l1_bank_remap, size_t /*worker_l1_size*/,
                            bool /*init_profiler*/, bool /*use_max_eth_core_count_on_all_devices*/,
                            bool /*initialize_fabric_and_dispatch_fw*/) {
  tt_metal::create_all_or_none(device_ids, [&](chip_id_t id) {
    IDevice* const open = find_open(id);
    return open != nullptr ? open
                           : tt_metal::CreateDevice(id, num_hw_cqs, l1_small_size,
                                                    trace_region_size, dispatch_core_config,
                                                    {l1_bank_remap.begin(), l1_bank_remap.end()});
  });
}

std::vector<IDevice*> DevicePool::get_all_active_devices() const {
  return tt_metal::open_devices();
}

IDevice* DevicePool::get_active_device(chip_id_t device_id) const {
  IDevice* device = find_open(device_id);
  TT_FATAL(device != nullptr, "Device {} is not open", device_id);
  return device;
}

bool DevicePool::is_device_active(chip_id_t device_id) const {
  return find_open(device_id) != nullptr;
}

bool DevicePool::close_device(chip_id_t device_id) const {
  return tt_metal::CloseDevice(get_active_device(device_id));
}

void DevicePool::close_devices(const std::vector<IDevice*>& devices) const {
  for (IDevice* device : devices) tt_metal::CloseDevice(device);
}

}  // namespace tt
