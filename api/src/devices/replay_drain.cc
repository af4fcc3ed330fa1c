#include "api/src/devices/replay_drain.h"

#include <algorithm>
#include <cstdint>
#include <exception>

#include "api/src/devices/device_impl.h"
#include "api/src/support/errors.h"
#include "api/src/work/event_progress.h"
#include "capture/capture.h"

namespace tt::tt_metal::replay_hooks {
namespace {

// Calls functions that all have to be called, and keeps the first exception.
class FirstError {
 public:
  template <class Function>
  void collect(Function&& function) {
    try {
      function();
    } catch (const std::exception&) {
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

void finish_beside(DeviceImpl& device) {
  QueueWorker& beside = device.direct_worker();
  beside.wait_for_all();
  throw_if_error(beside.take_error());
}

// CommandQueueImpl::wait_patiently() for launches beside the queues.
bool wait_patiently_beside(QueueWorker& beside) {
  return beside.wait_patiently(beside.push([] { return absl::OkStatus(); }));
}

bool is_ours(const DeviceImpl& device) {
  return device.is_initialized() && device.is_of_this_process();
}

}  // namespace

void drain(IDevice& device, uint32_t queues) {
  DeviceImpl& drained = impl_of(device);
  drained.check_open();
  FirstError error;
  for (uint32_t i = 0; i < std::min<uint32_t>(queues, drained.num_hw_cqs()); ++i) {
    error.collect([&] { drained.queue(i).finish(drained.get_sub_device_ids()); });
  }
  // A failed queue does not keep the others from being waited for: afterwards nothing may be under
  // way.
  error.collect([&] { finish_beside(drained); });
  error.rethrow();
}

lightmetal::Mutex& turn_of(IDevice& device) {
  impl_of(device).check_process();
  return impl_of(device).turn();
}

bool wait_patiently(IDevice& device) {
  DeviceImpl& waited_for = impl_of(device);
  if (!is_ours(waited_for)) return true;
  for (uint32_t i = 0; i < waited_for.num_hw_cqs(); ++i) {
    // One wait that has given up is enough: the other queues may wait for the same.
    if (!waited_for.queue(i).wait_patiently()) return false;
  }
  return wait_patiently_beside(waited_for.direct_worker());
}

bool drop_errors(IDevice& device, bool waits) {
  DeviceImpl& dropped = impl_of(device);
  if (!is_ours(dropped)) return true;
  const bool all_done = !waits || wait_patiently(device);
  for (uint32_t i = 0; i < dropped.num_hw_cqs(); ++i) dropped.queue(i).drop_error();
  dropped.direct_worker().take_error().IgnoreError();
  return all_done;
}

void end_waits(const Event& event) { event.progress()->end_waits(); }

bool was_recorded(const Event& event) { return event.progress()->recorded() > 0; }

}  // namespace tt::tt_metal::replay_hooks
