#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tt-metalium/command_queue.hpp>

#include "absl/base/thread_annotations.h"
#include "api/src/devices/sub_devices.h"
#include "api/src/objects/trace_content.h"
#include "api/src/work/queue_order.h"
#include "api/src/work/queue_worker.h"
#include "api/src/work/spare_words.h"
#include "base/mutex.h"

namespace tt::tt_metal {

class DeviceState;

// A command queue: a worker with a thread of its own, the order in which calls are recorded, and,
// while a device trace is captured on the queue, the trace so far. Thread-safe.
class CommandQueueImpl final : public CommandQueue {
 public:
  // `device` and `state` belong to the same device, which owns the queue and outlives it.
  CommandQueueImpl(IDevice& device, DeviceState& state, uint32_t id);

  uint32_t id() const override { return id_; }
  std::optional<uint32_t> tid() const override;
  IDevice* device() override { return &device_; }
  const IDevice* device() const override { return &device_; }
  DeviceState& device_state() const { return state_; }

  // Throws when the device is closed, or while a device trace is captured here; `calls` ("Writes")
  // are what the message says is not allowed.
  void check_accepts(std::string_view calls) const;

  // True if a call of the program returns when its work is done: because it blocks, or because the
  // device was opened for slow dispatch (TT_METAL_SLOW_DISPATCH_MODE). False while a device trace
  // is captured here, since the work is part of the trace then.
  bool waits(bool blocking) const { return (blocking || is_slow_) && !is_tracing(); }

  // Makes an operation for the queue's thread. It waits first for the launches that the queue has
  // put on workers of the sub-devices (sub_devices.h), on those of the stall group when no
  // sub-devices are named, and then runs `operation`, which may be none. Returns no operation when
  // there is nothing to wait for and nothing to run.
  Operation behind_launches(Operation operation, tt::stl::Span<const SubDeviceId> sub_devices = {});
  // An operation that gives launches to the workers of the lanes that their plans name, and does
  // not wait for them.
  Operation operation_of(lightmetal::device::Launch launch);
  Operation operation_of(std::shared_ptr<const TraceContent> content);
  // What launches that are made for operation_of() have their arguments in.
  SpareWords& spare_words() { return spare_words_; }
  // An operation that runs `launches` and waits for them.
  Operation and_wait(Operation launches, tt::stl::Span<const SubDeviceId> sub_devices = {});

  // Gives the queue a call's work and records the call: queue_order.h.
  bool run(QueueCall& call, Operation operation) { return order_.run(call, std::move(operation)); }
  // Gives the queue work that no call of the program stands for, waits for it, and throws what
  // fails.
  void execute(Operation operation);
  QueueOrder& order() { return order_; }
  // Waits for all that the queue was given, and throws the first error. Records nothing.
  void finish(tt::stl::Span<const SubDeviceId> sub_devices = {});
  void throw_error();
  // Waits for all that the queue was given. Returns false when QueueWorker::wait_patiently() has
  // given that up.
  bool wait_patiently();
  // Drops the queue's error.
  void drop_error();
  bool is_idle() const { return worker_.is_idle(); }
  const std::atomic<bool>& closing() const { return worker_.closing(); }

  uint32_t next_event_id() { return next_event_id_.fetch_add(1); }

  bool is_tracing() const { return tracing_.load(std::memory_order_acquire); }
  void begin_trace(uint32_t trace_id);
  void add_to_trace(TracedLaunch launch);
  std::shared_ptr<const TraceContent> end_trace(uint32_t trace_id);

  // Executes what is left and ends the thread. Returns the first error that nobody has seen.
  absl::Status stop();

 private:
  struct Recording {
    uint32_t trace_id;
    std::shared_ptr<TraceContent> content;
  };

  // These are called by the queue's thread. This one runs `run`, or gives it to the worker of the
  // lane.
  absl::Status start(const std::shared_ptr<const SubDeviceWorkers>& workers, uint32_t lane,
                     Operation run);
  absl::Status launch_all(const TraceContent& content);
  absl::Status stall(const std::shared_ptr<const SubDeviceWorkers>& workers,
                     tt::stl::Span<const SubDeviceId> sub_devices);

  IDevice& device_;
  DeviceState& state_;
  const uint32_t id_;
  const bool is_slow_;
  // The tickets of the queue's last launches, by sub-device. Only the queue's thread uses them.
  std::vector<uint64_t> sub_device_tickets_;
  std::weak_ptr<const SubDeviceWorkers> sub_device_workers_;  // the workers whose tickets these are
  std::vector<const lightmetal::device::Launch*> launches_;   // scratch of the queue's thread
  SpareWords spare_words_;
  std::atomic<uint32_t> next_event_id_ = 0;
  std::atomic<bool> tracing_ = false;
  mutable lightmetal::Mutex mutex_;
  std::optional<Recording> recording_ ABSL_GUARDED_BY(mutex_);
  QueueWorker worker_;
  QueueOrder order_{worker_, this};
};

// REQUIRES: the queue was made by this library, as all are.
inline CommandQueueImpl& impl_of(CommandQueue& queue) {
  return static_cast<CommandQueueImpl&>(queue);
}

}  // namespace tt::tt_metal
