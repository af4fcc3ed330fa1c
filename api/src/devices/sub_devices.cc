#include "api/src/devices/sub_devices.h"

#include <algorithm>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/math.hpp>
#include <utility>

#include "absl/types/span.h"
#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "api/src/support/next_id.h"
#include "host/device.h"
#include "host/memory.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

std::shared_ptr<const SubDeviceWorkers> workers_for(size_t count) {
  auto workers = std::make_shared<SubDeviceWorkers>();
  while (workers->size() < count) workers->push_back(std::make_unique<QueueWorker>());
  return workers;
}

std::vector<SubDeviceId> ids_of(size_t count) {
  std::vector<SubDeviceId> ids;
  for (size_t i = 0; i < count; ++i) ids.emplace_back(static_cast<uint8_t>(i));
  return ids;
}

void check_workers_only(const SubDevice& sub_device, size_t index) {
  TT_FATAL(!sub_device.has_core_type(HalProgrammableCoreType::ACTIVE_ETH) &&
               !sub_device.has_core_type(HalProgrammableCoreType::IDLE_ETH),
           "Sub-device {} has Ethernet cores: sub-devices are made of worker cores only", index);
}

void check_sub_devices(const std::vector<host::CoreSet>& sub_devices, lightmetal::Core grid) {
  throw_if_error(host::check_num_sub_devices(sub_devices.size()));
  for (size_t i = 0; i < sub_devices.size(); ++i) {
    throw_if_error(host::check_cores_of_sub_device(absl::MakeConstSpan(sub_devices).first(i),
                                                   sub_devices[i], grid));
  }
}

std::vector<host::CoreSet> core_sets_of(tt::stl::Span<const SubDevice> sub_devices) {
  std::vector<host::CoreSet> sets;
  for (const SubDevice& sub_device : sub_devices) {
    check_workers_only(sub_device, sets.size());
    sets.push_back(host_cores(sub_device.cores(HalProgrammableCoreType::TENSIX), "sub-device"));
  }
  return sets;
}

SubDevice whole_grid(lightmetal::Core grid) {
  // The default manager's only sub-device.
  const CoreRangeSet cores(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
  return SubDevice(tt::stl::Span<const CoreRangeSet>(&cores, 1));
}

}  // namespace

SubDeviceManager::SubDeviceManager(tt::stl::Span<const SubDevice> its_sub_devices,
                                   DeviceAddr its_local_l1_size, const Allocator& device_allocator,
                                   lightmetal::Core grid)
    : id(next_unique_id<SubDeviceManager>()),
      sub_devices(its_sub_devices.begin(), its_sub_devices.end()),
      sub_device_ids(ids_of(its_sub_devices.size())),
      core_sets(core_sets_of(its_sub_devices)),
      local_l1_size(round_up(its_local_l1_size, device_allocator.get_config().l1_alignment)) {
  check_sub_devices(core_sets, grid);
  if (local_l1_size == 0) return;
  for (size_t i = 0; i < sub_devices.size(); ++i) {
    allocators.push_back(std::make_shared<Allocator>(device_allocator, local_l1_size));
  }
}

const SubDevice& SubDeviceManager::sub_device(SubDeviceId sub_device_id) const {
  throw_if_error(host::check_is_loaded(sub_devices.size(), *sub_device_id));
  return sub_devices[*sub_device_id];
}

const std::shared_ptr<Allocator>& SubDeviceManager::allocator(SubDeviceId sub_device_id) const {
  sub_device(sub_device_id);
  throw_if_error(host::check_has_memory(*sub_device_id, has_allocators() ? local_l1_size : 0));
  return allocators[*sub_device_id];
}

std::optional<DeviceAddr> SubDeviceManager::lowest_occupied(
    tt::stl::Span<const SubDeviceId> of) const {
  std::optional<DeviceAddr> lowest;
  for (const SubDeviceId sub_device_id : of) {
    sub_device(sub_device_id);
    if (!has_allocators()) continue;
    const auto address = allocators[*sub_device_id]->get_lowest_occupied_l1_address();
    if (address && (!lowest || *address < *lowest)) lowest = address;
  }
  return lowest;
}

SubDevices::SubDevices(const lightmetal::DeviceProfile& profile, Allocator& allocator)
    : grid_(profile.grid),
      allocator_(&allocator),
      default_([&] {
        const SubDevice whole = whole_grid(grid_);
        return std::make_shared<SubDeviceManager>(tt::stl::Span<const SubDevice>(&whole, 1), 0,
                                                  *allocator_, grid_);
      }()),
      loaded_id_(*default_->id),
      loaded_(default_),
      workers_(workers_for(0)),
      stall_group_(default_->sub_device_ids) {}

SubDeviceManagerId SubDevices::create(tt::stl::Span<const SubDevice> sub_devices,
                                      DeviceAddr local_l1_size) {
  auto manager = std::make_shared<SubDeviceManager>(sub_devices, local_l1_size, *allocator_, grid_);
  const SubDeviceManagerId id = manager->id;
  lightmetal::MutexLock lock(&mutex_);
  managers_.emplace(*id, std::move(manager));
  return id;
}

const std::shared_ptr<SubDeviceManager>& SubDevices::find(SubDeviceManagerId id) const {
  const auto found = managers_.find(*id);
  throw_if_error(host::check_manager(*id, found != managers_.end()));
  return found->second;
}

void SubDevices::check_can_remove(SubDeviceManagerId id) const {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(id != default_->id, "The default sub-device manager {} cannot be removed", id);
  find(id);
  throw_if_error(host::check_can_be_removed(*id, loaded_->id == id));
}

void SubDevices::remove(SubDeviceManagerId id) {
  check_can_remove(id);
  lightmetal::MutexLock lock(&mutex_);
  managers_.erase(*id);
}

void SubDevices::check_can_load(SubDeviceManagerId id) const {
  lightmetal::MutexLock lock(&mutex_);
  if (id != default_->id) find(id);
  for (size_t i = 0; i < loaded_->allocators.size(); ++i) {
    throw_if_error(host::check_has_no_buffer(
        *loaded_->id, i, loaded_->allocators[i]->get_lowest_occupied_l1_address()));
  }
}

void SubDevices::load(SubDeviceManagerId id) {
  check_can_load(id);
  lightmetal::MutexLock lock(&mutex_);
  make_loaded(id == default_->id ? default_ : find(id));
}

void SubDevices::make_loaded(std::shared_ptr<SubDeviceManager> manager) {
  // First, because it throws when a buffer is in the way: nothing has changed then.
  allocator_->leave_to_sub_devices(manager->local_l1_size);
  loaded_ = std::move(manager);
  workers_ = workers_for(loaded_ == default_ ? 0 : loaded_->sub_devices.size());
  stall_group_ = loaded_->sub_device_ids;
  // Last: whoever reads the new id without the lock finds the rest changed.
  loaded_id_.store(*loaded_->id, std::memory_order_release);
}

std::shared_ptr<SubDeviceManager> SubDevices::loaded() const {
  lightmetal::MutexLock lock(&mutex_);
  return loaded_;
}

std::shared_ptr<const SubDeviceWorkers> SubDevices::workers() const {
  lightmetal::MutexLock lock(&mutex_);
  return workers_;
}

std::vector<std::shared_ptr<SubDeviceManager>> SubDevices::managers() const {
  lightmetal::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<SubDeviceManager>> managers;
  for (const auto& [id, manager] : managers_) managers.push_back(manager);
  return managers;
}

void SubDevices::check(tt::stl::Span<const SubDeviceId> ids) const {
  if (ids.empty()) return;
  const auto manager = loaded();
  for (const SubDeviceId id : ids) manager->sub_device(id);
}

std::vector<SubDeviceId> SubDevices::copy_of_stall_group() const {
  lightmetal::MutexLock lock(&mutex_);
  return stall_group_;
}

void SubDevices::set_stall_group(tt::stl::Span<const SubDeviceId> ids) {
  lightmetal::MutexLock lock(&mutex_);
  throw_if_error(host::check_stall_group(ids.size()));
  for (const SubDeviceId id : ids) loaded_->sub_device(id);
  stall_group_.assign(ids.begin(), ids.end());
}

void SubDevices::reset_stall_group() {
  lightmetal::MutexLock lock(&mutex_);
  stall_group_ = loaded_->sub_device_ids;
}

absl::Status SubDevices::stop() {
  absl::Status first_error;
  // Outside the lock, because a launch may take long and other threads may ask things meanwhile.
  const std::shared_ptr<const SubDeviceWorkers> ended = workers();
  for (const auto& worker : *ended) {
    worker->stop();
    first_error.Update(worker->take_error());
  }
  lightmetal::MutexLock lock(&mutex_);
  // Buffers that outlive the device find that their allocator is gone.
  for (const auto& [id, manager] : managers_) manager->allocators.clear();
  return first_error;
}

absl::Status wait_for_workers(const SubDeviceWorkers& workers,
                              tt::stl::Span<const SubDeviceId> sub_devices,
                              tt::stl::Span<const uint64_t> tickets) {
  absl::Status first_error;
  for (const SubDeviceId id : sub_devices) {
    // The queue has launched nothing there.
    if (*id >= tickets.size() || *id >= workers.size()) continue;
    workers[*id]->wait(tickets[*id]);
    first_error.Update(workers[*id]->take_error());
  }
  return first_error;
}

}  // namespace tt::tt_metal
