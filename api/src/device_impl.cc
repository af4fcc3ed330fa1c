#include "api/src/device_impl.h"

#include <algorithm>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <utility>

#include "api/src/device_access.h"
#include "api/src/errors.h"
#include "api/src/launch_plan.h"
#include "api/src/next_id.h"
#include "api/src/object_ids.h"
#include "device/registry/registry.h"
#include "host/device.h"

namespace tt::tt_metal {
namespace {

std::shared_ptr<lightmetal::device::Device> open_backend(const DeviceParameters& parameters) {
  return value_or_throw(lightmetal::device::open_device(
      parameters.backend, {.chip_id = parameters.chip_id, .profile = parameters.profile}));
}

}  // namespace

DeviceImpl& impl_of(IDevice* device) {
  TT_FATAL(device != nullptr, "The device is a null pointer");
  return static_cast<DeviceImpl&>(*device);
}

DeviceImpl::DeviceImpl(DeviceParameters parameters)
    : MeshDevice(parameters.num_hw_cqs),
      parameters_(std::move(parameters)),
      unique_id_(next_unique_id<DeviceImpl>()),
      backend_(open_backend(parameters_)),
      allocator_(std::make_shared<Allocator>(profile(), parameters_.l1_small_size,
                                             parameters_.trace_region_size)),
      sub_devices_(profile(), *allocator_) {
  for (uint32_t i = 0; i < parameters_.num_hw_cqs; ++i) {
    queues_.push_back(std::make_unique<CommandQueueImpl>(*this, i));
  }
}

DeviceImpl::~DeviceImpl() = default;

void DeviceImpl::check_open() const {
  check_process();
  throw_if_error(lightmetal::host::check_open(parameters_.chip_id, is_open()));
}

CommandQueueImpl& DeviceImpl::queue(size_t cq_id) const {
  check_open();
  throw_if_error(lightmetal::host::check_queue(parameters_.chip_id, queues_.size(), cq_id));
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
  if (!process_.is_here()) return orders;  // as in shut_down()
  for (const auto& queue : queues_) orders.push_back(&queue->order());
  lightmetal::MutexLock lock(&mutex_);
  if (direct_order_) orders.push_back(direct_order_.get());
  return orders;
}

std::shared_ptr<lightmetal::device::LoadedKernel> DeviceImpl::load(
    const lightmetal::device::KernelObject& object, const std::string& name) {
  struct Holder {
    std::shared_ptr<lightmetal::device::Device> backend;  // outlives the kernel
    std::shared_ptr<lightmetal::device::LoadedKernel> kernel;
  };
  auto holder =
      std::make_shared<Holder>(Holder{backend_, value_or_throw(backend_->load(object, name))});
  return {holder, holder->kernel.get()};
}

void DeviceImpl::add_prepared(const std::shared_ptr<PreparedProgram>& prepared) {
  lightmetal::MutexLock lock(&mutex_);
  // Dropped programs are cleared away whenever their number could have doubled.
  if (prepared_.size() == prepared_.capacity()) {
    std::erase_if(prepared_, [](const auto& program) { return program.expired(); });
  }
  prepared_.push_back(prepared);
}

void DeviceImpl::add_trace(uint32_t trace_id, std::shared_ptr<TraceDescriptor> trace) {
  lightmetal::MutexLock lock(&mutex_);
  const bool added = traces_.try_emplace(trace_id, std::move(trace)).second;
  TT_FATAL(added, "Device {} has a trace {} already", parameters_.chip_id, trace_id);
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
  // Queues first: only they put work on sub-devices.
  if (!std::ranges::all_of(queues_, idle)) return false;
  if (!std::ranges::all_of(*sub_devices_.lanes(), idle)) return false;
  lightmetal::MutexLock lock(&mutex_);
  return direct_worker_ == nullptr || direct_worker_->is_idle();
}

absl::Status DeviceImpl::shut_down() {
  // In a forked child it stays as it is: locks may be held by threads that are not there.
  if (!process_.is_here()) return absl::OkStatus();
  absl::Status first_error;
  for (auto& queue : queues_) first_error.Update(queue->stop());
  first_error.Update(sub_devices_.stop());
  open_.store(false, std::memory_order_release);
  lightmetal::MutexLock lock(&mutex_);
  if (direct_worker_) {
    direct_worker_->stop();
    first_error.Update(direct_worker_->take_error());
  }
  for (auto& weak : prepared_) {
    if (auto prepared = weak.lock()) prepared->clear();
  }
  prepared_.clear();
  traces_.clear();
  allocator_.reset();
  backend_.reset();
  return first_error;
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

void DeviceImpl::begin_trace(uint8_t cq_id, uint32_t trace_id) {
  queue(cq_id).begin_trace(trace_id);
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

lightmetal::device::Device& backend_of_device(const IDevice& device) {
  impl_of(device).check_open();
  return *impl_of(device).backend();
}

}  // namespace tt::tt_metal
