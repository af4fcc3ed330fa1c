#include "api/src/command_queue_impl.h"

#include <tt-metalium/assert.hpp>
#include <utility>

#include "api/src/device_impl.h"
#include "api/src/errors.h"

namespace tt::tt_metal {

std::optional<uint32_t> CommandQueueImpl::tid() const {
  lightmetal::MutexLock lock(&mutex_);
  if (!recording_) return std::nullopt;
  return recording_->trace_id;
}

IDevice* CommandQueueImpl::device() { return &device_; }
const IDevice* CommandQueueImpl::device() const { return &device_; }

void CommandQueueImpl::check_accepts(std::string_view calls) const {
  device_.check_open();
  TT_FATAL(!is_tracing(),
           "{} are not supported during trace capture: queue {} of device {} captures trace {}",
           calls, id_, device_.id(), tid().value_or(0));
}

void CommandQueueImpl::wait(uint64_t ticket) {
  worker_.wait(ticket);
  throw_error();
}

void CommandQueueImpl::finish() {
  worker_.wait_for_all();
  throw_error();
}

void CommandQueueImpl::throw_error() { throw_if_error(worker_.take_error()); }

void CommandQueueImpl::begin_trace(uint32_t trace_id) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(!recording_, "Queue {} of device {} captures trace {} already", id_, device_.id(),
           recording_->trace_id);
  recording_ = Recording{trace_id, std::make_shared<TraceContent>()};
  tracing_.store(true, std::memory_order_release);
}

void CommandQueueImpl::add_to_trace(TracedLaunch launch) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(recording_, "The trace of queue {} of device {} ended while a program was enqueued", id_,
           device_.id());
  recording_->content->launches.push_back(std::move(launch));
}

std::shared_ptr<const TraceContent> CommandQueueImpl::end_trace(uint32_t trace_id) {
  lightmetal::MutexLock lock(&mutex_);
  TT_FATAL(recording_ && recording_->trace_id == trace_id,
           "Queue {} of device {} does not capture trace {}", id_, device_.id(), trace_id);
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
