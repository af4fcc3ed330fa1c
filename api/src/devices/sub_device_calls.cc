// A device's calls about sub-devices. Each checks before it records or changes anything, so that a
// refused call changes nothing.
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/devices/device_impl.h"
#include "api/src/record/record.h"
#include "api/src/support/errors.h"
#include "capture/capture.h"

namespace tt::tt_metal {

SubDeviceManagerId DeviceImpl::create_sub_device_manager(tt::stl::Span<const SubDevice> sub_devices,
                                                         DeviceAddr local_l1_size) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  const SubDeviceManagerId manager = DeviceState::sub_devices().create(sub_devices, local_l1_size);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceManagerCreate>, ManagerOn{*this, manager},
                                  *this, sub_devices, local_l1_size);
  return manager;
}

SubDeviceManagerId DeviceImpl::create_sub_device_manager(
    std::initializer_list<SubDevice> sub_devices, DeviceAddr local_l1_size) {
  return create_sub_device_manager(
      tt::stl::Span<const SubDevice>(sub_devices.begin(), sub_devices.size()), local_l1_size);
}

void DeviceImpl::remove_sub_device_manager(SubDeviceManagerId manager) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  sub_devices().check_can_remove(manager);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceManagerRemove>, *this,
                                  ManagerOn{*this, manager});
  sub_devices().remove(manager);
}

void DeviceImpl::come_to_rest() {
  for (const auto& queue : queues_) queue->check_accepts("Sub-device managers");
  for (const auto& queue : queues_) queue->finish(get_sub_device_ids());
  QueueWorker& beside = direct_worker();
  beside.wait_for_all();
  throw_if_error(beside.take_error());
  // Other threads may still stand in calls that waited for the same work: the file has those before
  // the change of managers.
  for (QueueOrder* order : orders()) order->record_done();
}

void DeviceImpl::load_sub_device_manager(SubDeviceManagerId manager) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  sub_devices().check_can_load(manager);
  announce<schema::SubDeviceManagerLoad>(light_metal_call_scope, *this, ManagerOn{*this, manager});
  come_to_rest();
  sub_devices().load(manager);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceManagerLoad>, *this,
                                  ManagerOn{*this, manager});
}

void DeviceImpl::clear_loaded_sub_device_manager() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  sub_devices().check_can_load(sub_devices().default_id());
  announce<schema::SubDeviceManagerClear>(light_metal_call_scope, *this);
  come_to_rest();
  sub_devices().load(sub_devices().default_id());
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceManagerClear>, *this);
}

SubDeviceManagerId DeviceImpl::get_active_sub_device_manager_id() const {
  return SubDeviceManagerId(sub_devices().loaded_id());
}

SubDeviceManagerId DeviceImpl::get_default_sub_device_manager_id() const {
  return sub_devices().default_id();
}

const std::shared_ptr<Allocator>& DeviceImpl::allocator(SubDeviceId sub_device_id) const {
  const std::shared_ptr<SubDeviceManager> manager = sub_devices().loaded();
  manager->sub_device(sub_device_id);
  if (manager->id == sub_devices().default_id()) return allocator();
  check_open();
  return manager->allocator(sub_device_id);
}

std::optional<DeviceAddr> DeviceImpl::lowest_occupied_compute_l1_address() const {
  return lowest_occupied_compute_l1_address(get_sub_device_ids());
}

std::optional<DeviceAddr> DeviceImpl::lowest_occupied_compute_l1_address(
    tt::stl::Span<const SubDeviceId> sub_device_ids) const {
  return lowest_occupied_l1_address(sub_device_ids);
}

CoreRangeSet DeviceImpl::worker_cores(HalProgrammableCoreType core_type,
                                      SubDeviceId sub_device_id) const {
  return sub_devices().loaded()->sub_device(sub_device_id).cores(core_type);
}

uint32_t DeviceImpl::num_worker_cores(HalProgrammableCoreType core_type,
                                      SubDeviceId sub_device_id) const {
  return worker_cores(core_type, sub_device_id).num_cores();
}

uint32_t DeviceImpl::num_virtual_eth_cores(SubDeviceId sub_device_id) {
  return num_worker_cores(HalProgrammableCoreType::ACTIVE_ETH, sub_device_id);
}

const std::vector<SubDeviceId>& DeviceImpl::get_sub_device_ids() const {
  return sub_devices().loaded()->sub_device_ids;
}

uint32_t DeviceImpl::num_sub_devices() const {
  return static_cast<uint32_t>(get_sub_device_ids().size());
}

const std::vector<SubDeviceId>& DeviceImpl::get_sub_device_stall_group() const {
  return sub_devices().stall_group();
}

void DeviceImpl::set_sub_device_stall_group(tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  sub_devices().set_stall_group(sub_device_ids);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceStallGroupSet>, *this, sub_device_ids);
}

void DeviceImpl::reset_sub_device_stall_group() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  check_open();
  sub_devices().reset_stall_group();
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::SubDeviceStallGroupReset>, *this);
}

}  // namespace tt::tt_metal
