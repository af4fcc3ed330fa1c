#include "api/src/devices/device_impl.h"

#include <algorithm>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>

#include "api/src/objects/device_access.h"
#include "api/src/support/errors.h"
#include "api/src/support/object_ids.h"
#include "host/device.h"

namespace tt::tt_metal {

DeviceImpl& impl_of(IDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  return impl_of(*device);
}

std::vector<IDevice*> devices_of(IDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  return static_cast<distributed::MeshDevice&>(*device).get_devices();
}

IDevice& single_device_of(IDevice& device) { return impl_of(device); }

DeviceImpl::DeviceImpl(DeviceParameters parameters)
    : MeshDevice(parameters.num_hw_cqs), DeviceState(std::move(parameters)) {
  for (uint32_t i = 0; i < num_hw_cqs(); ++i) {
    queues_.push_back(std::make_unique<CommandQueueImpl>(*this, *this, i));
  }
}

DeviceImpl::~DeviceImpl() = default;

CommandQueueImpl& DeviceImpl::queue(size_t cq_id) const {
  check_open();
  throw_if_error(lightmetal::host::check_queue(parameters().chip_id, queues_.size(), cq_id));
  return *queues_[cq_id];
}

QueueWorker& DeviceImpl::direct_worker() {
  lightmetal::MutexLock lock(&mutex_);
  if (!direct_worker_) {
    direct_worker_ = std::make_unique<QueueWorker>();
    direct_order_ = std::make_unique<QueueOrder>(*direct_worker_, /*queue=*/nullptr);
  }
  return *direct_worker_;
}

QueueOrder& DeviceImpl::direct_order() {
  direct_worker();
  lightmetal::MutexLock lock(&mutex_);
  return *direct_order_;
}

std::vector<QueueOrder*> DeviceImpl::orders() {
  std::vector<QueueOrder*> orders;
  if (!is_of_this_process()) return orders;  // as in shut_down()
  for (const auto& queue : queues_) orders.push_back(&queue->order());
  lightmetal::MutexLock lock(&mutex_);
  if (direct_order_) orders.push_back(direct_order_.get());
  return orders;
}

void DeviceImpl::add_trace(uint32_t trace_id, std::shared_ptr<TraceDescriptor> trace) {
  lightmetal::MutexLock lock(&mutex_);
  const bool added = traces_.try_emplace(trace_id, std::move(trace)).second;
  TT_FATAL(added, "Device {} has a trace {} already", id(), trace_id);
}

std::shared_ptr<TraceDescriptor> DeviceImpl::trace(uint32_t trace_id) const {
  lightmetal::MutexLock lock(&mutex_);
  const auto found = traces_.find(trace_id);
  return found == traces_.end() ? nullptr : found->second;
}

void DeviceImpl::remove_trace(uint32_t trace_id) {
  lightmetal::MutexLock lock(&mutex_);
  traces_.erase(trace_id);
}

std::map<uint32_t, std::shared_ptr<TraceDescriptor>> DeviceImpl::traces() const {
  lightmetal::MutexLock lock(&mutex_);
  return traces_;
}

bool DeviceImpl::is_idle() {
  const auto idle = [](const auto& worker) { return worker->is_idle(); };
  // Work moves from queues to sub-devices and never back: so the queues are asked first.
  if (!std::ranges::all_of(queues_, idle)) return false;
  if (!std::ranges::all_of(*sub_devices().workers(), idle)) return false;
  lightmetal::MutexLock lock(&mutex_);
  return direct_worker_ == nullptr || direct_worker_->is_idle();
}

absl::Status DeviceImpl::shut_down() {
  // In a forked child the device stays as it is: its locks may be held by threads that the child
  // does not have.
  if (!is_of_this_process()) return absl::OkStatus();
  absl::Status first_error;
  // The order is that in which work flows: queues give launches to sub-devices, and all of them use
  // the backend, which goes last.
  for (auto& queue : queues_) first_error.Update(queue->stop());
  first_error.Update(sub_devices().stop());
  begin_close();
  first_error.Update(stop_direct_worker());
  forget_traces();
  finish_close();
  return first_error;
}

absl::Status DeviceImpl::stop_direct_worker() {
  QueueWorker* beside = nullptr;
  {
    lightmetal::MutexLock lock(&mutex_);
    beside = direct_worker_.get();
  }
  // Outside the lock, because a launch may take long and other threads may ask the device things
  // meanwhile. The worker itself stays as long as the device.
  if (beside == nullptr) return absl::OkStatus();
  beside->stop();
  return beside->take_error();
}

void DeviceImpl::forget_traces() {
  std::map<uint32_t, std::shared_ptr<TraceDescriptor>> forgotten;  // end behind the lock
  lightmetal::MutexLock lock(&mutex_);
  traces_.swap(forgotten);
}

void DeviceImpl::synchronize() { Synchronize(this); }

void DeviceImpl::replay_trace(uint8_t cq_id, uint32_t trace_id, bool block_on_device,
                              bool /*block_on_worker_thread*/) {
  ReplayTrace(this, cq_id, trace_id, block_on_device);
}

void DeviceImpl::release_trace(uint32_t trace_id) { ReleaseTrace(this, trace_id); }

void DeviceImpl::load_trace(uint8_t cq_id, uint32_t trace_id, const TraceDescriptor& trace_desc) {
  LoadTrace(this, cq_id, trace_id, trace_desc);
}

void DeviceImpl::end_trace(uint8_t cq_id, uint32_t trace_id) {
  EndTraceCapture(this, cq_id, trace_id);
}

std::shared_ptr<TraceBuffer> DeviceImpl::get_trace(uint32_t trace_id) {
  std::shared_ptr<TraceDescriptor> descriptor = trace(trace_id);
  if (!descriptor) return nullptr;
  return std::make_shared<TraceBuffer>(TraceBuffer{std::move(descriptor), nullptr});
}

bool DeviceImpl::close() { return CloseDevice(this); }

uint64_t unique_id_of(const IDevice& device) { return impl_of(device).unique_id(); }

const TraceDescriptor* find_trace(const IDevice& device, uint32_t trace_id) {
  return impl_of(device).trace(trace_id).get();
}

const DeviceParameters& parameters_of(const IDevice& device) {
  return impl_of(device).parameters();
}

const lightmetal::DeviceProfile& profile_of_device(const IDevice& device) {
  return impl_of(device).profile();
}

}  // namespace tt::tt_metal
