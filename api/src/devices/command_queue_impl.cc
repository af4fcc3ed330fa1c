#include "api/src/devices/command_queue_impl.h"

#include <cstdlib>
#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/devices/device_state.h"
#include "api/src/support/errors.h"
#include "api/src/support/process_end.h"

namespace tt::tt_metal {

namespace device = lightmetal::device;

CommandQueueImpl::CommandQueueImpl(IDevice& device, DeviceState& state, uint32_t id)
    : device_(device),
      state_(state),
      id_(id),
      // Any value counts, as with upstream.
      is_slow_(std::getenv("TT_METAL_SLOW_DISPATCH_MODE") != nullptr) {}

std::optional<uint32_t> CommandQueueImpl::tid() const {
  lightmetal::MutexLock lock(&mutex_);
  if (!recording_) return std::nullopt;
  return recording_->trace_id;
}

void CommandQueueImpl::check_accepts(std::string_view calls) const {
  state_.check_open();
  TT_FATAL(!is_tracing(),
           "{} are not supported during trace capture: queue {} of device {} captures trace {}",
           calls, id_, state_.parameters().chip_id, tid().value_or(0));
}

Operation CommandQueueImpl::behind_launches(Operation operation,
                                            tt::stl::Span<const SubDeviceId> sub_devices) {
  // An undivided device runs launches within the queue itself: there is nothing to wait for.
  SubDevices& of_device = state_.sub_devices();
  if (!of_device.is_divided()) return operation;
  std::vector<SubDeviceId> awaited(sub_devices.begin(), sub_devices.end());
  if (awaited.empty()) awaited = of_device.copy_of_stall_group();
  return [this, workers = of_device.workers(), awaited = std::move(awaited),
          operation = std::move(operation)]() mutable {
    // Before the operation, which may end the wait of a call that then asks for the error.
    worker_.keep_error(stall(workers, awaited));
    return operation ? operation() : absl::OkStatus();
  };
}

absl::Status CommandQueueImpl::stall(const std::shared_ptr<const SubDeviceWorkers>& workers,
                                     tt::stl::Span<const SubDeviceId> sub_devices) {
  // Tickets of other workers say nothing about these: the queue has launched nothing on them.
  if (sub_device_workers_.lock() != workers) return absl::OkStatus();
  return wait_for_workers(*workers, sub_devices, sub_device_tickets_);
}

absl::Status CommandQueueImpl::start(const std::shared_ptr<const SubDeviceWorkers>& workers,
                                     uint32_t lane, Operation run) {
  // Lane 0 is the undivided device. A lane without a worker belongs to a launch that was prepared
  // before another manager was loaded; it runs here.
  if (lane == 0 || lane > workers->size()) return run();
  if (sub_device_workers_.lock() != workers) {
    sub_device_workers_ = workers;
    sub_device_tickets_.assign(workers->size(), 0);
  }
  sub_device_tickets_[lane - 1] = (*workers)[lane - 1]->push(std::move(run));
  return absl::OkStatus();
}

Operation CommandQueueImpl::operation_of(device::Launch launch) {
  const uint32_t lane = launch.plan->lane;
  auto run = [this, backend = state_.backend().get(), launch = std::move(launch)]() mutable {
    absl::Status status = backend->launch(launch);
    spare_words_.give_back(std::move(launch.args));
    return status;
  };
  if (lane == 0) return Operation(std::move(run));
  return [this, workers = state_.sub_devices().workers(), lane, run = std::move(run)]() mutable {
    return start(workers, lane, std::move(run));
  };
}

Operation CommandQueueImpl::operation_of(std::shared_ptr<const TraceContent> content) {
  if (!state_.sub_devices().is_divided()) {
    return [this, content = std::move(content)] { return launch_all(*content); };
  }
  return [this, workers = state_.sub_devices().workers(), content = std::move(content)] {
    const auto backend = state_.backend().get();
    absl::Status status;
    for (const TracedLaunch& traced : content->launches) {
      status.Update(start(workers, traced.launch.plan->lane,
                          [backend, launch = traced.launch] { return backend->launch(launch); }));
    }
    return status;
  };
}

Operation CommandQueueImpl::and_wait(Operation launches,
                                     tt::stl::Span<const SubDeviceId> sub_devices) {
  if (!state_.sub_devices().is_divided()) return launches;
  return [launches = std::move(launches), wait = behind_launches(nullptr, sub_devices)]() mutable {
    absl::Status status = launches();
    status.Update(wait());
    return status;
  };
}

// `launches_` keeps its memory, so that replaying a trace allocates nothing.
absl::Status CommandQueueImpl::launch_all(const TraceContent& content) {
  launches_.clear();
  for (const TracedLaunch& traced : content.launches) launches_.push_back(&traced.launch);
  return state_.backend()->launch_all(launches_);
}

void CommandQueueImpl::execute(Operation operation) {
  worker_.wait(operation ? worker_.push(std::move(operation)) : worker_.last_ticket());
  throw_error();
}

void CommandQueueImpl::finish(tt::stl::Span<const SubDeviceId> sub_devices) {
  execute(behind_launches(nullptr, sub_devices));
}

bool CommandQueueImpl::wait_patiently() {
  return worker_.wait_patiently(worker_.push(behind_launches([] { return absl::OkStatus(); })));
}

void CommandQueueImpl::drop_error() { worker_.take_error().IgnoreError(); }

void CommandQueueImpl::throw_error() {
  const absl::Status error = worker_.take_error();
  if (!error.ok()) wait_if_process_ends();
  throw_if_error(error);
}

void CommandQueueImpl::begin_trace(uint32_t trace_id) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(!recording_, "Queue {} of device {} captures trace {} already", id_,
           state_.parameters().chip_id, recording_->trace_id);
  // `tracing_` is what calls look at without the lock; it is set once the trace is there.
  recording_ = Recording{trace_id, std::make_shared<TraceContent>()};
  tracing_.store(true, std::memory_order_release);
}

void CommandQueueImpl::add_to_trace(TracedLaunch launch) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(recording_, "The trace of queue {} of device {} ended while a program was enqueued", id_,
           state_.parameters().chip_id);
  recording_->content->launches.push_back(std::move(launch));
}

std::shared_ptr<const TraceContent> CommandQueueImpl::end_trace(uint32_t trace_id) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(recording_ && recording_->trace_id == trace_id,
           "Queue {} of device {} does not capture trace {}", id_, state_.parameters().chip_id,
           trace_id);
  tracing_.store(false, std::memory_order_release);
  std::shared_ptr<const TraceContent> content = std::move(recording_->content);
  recording_.reset();
  return content;
}

absl::Status CommandQueueImpl::stop() {
  worker_.stop();
  return worker_.take_error();
}

}  // namespace tt::tt_metal
