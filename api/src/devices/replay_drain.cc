#include "api/src/devices/replay_drain.h"

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

// CommandQueueImpl::drop_error() for launches beside the queues.
bool drop_error_beside(QueueWorker& beside, bool waits) {
  const bool is_done =
      !waits || beside.wait_patiently(beside.push([] { return absl::OkStatus(); }));
  beside.take_error().IgnoreError();
  return is_done;
}

}  // namespace

void drain(IDevice& device) {
  DeviceImpl& drained = impl_of(device);
  drained.check_open();
  FirstError error;
  for (uint32_t i = 0; i < drained.num_hw_cqs(); ++i) {
    error.collect([&] { drained.queue(i).finish(drained.get_sub_device_ids()); });
  }
  // A failed queue does not keep the others from being waited for: afterwards nothing may be under
  // way.
  error.collect([&] { finish_beside(drained); });
  error.rethrow();
}

bool drop_errors(IDevice& device, bool waits) {
  DeviceImpl& dropped = impl_of(device);
  if (!dropped.is_initialized() || !dropped.is_of_this_process()) return true;
  bool all_done = true;
  for (uint32_t i = 0; i < dropped.num_hw_cqs(); ++i) {
    // One wait that has given up is enough: the other queues may wait for the same.
    all_done &= dropped.queue(i).drop_error(waits && all_done);
  }
  all_done &= drop_error_beside(dropped.direct_worker(), waits && all_done);
  return all_done;
}

void end_waits(const Event& event) { event.progress()->end_waits(); }

bool was_recorded(const Event& event) { return event.progress()->recorded() > 0; }

}  // namespace tt::tt_metal::replay_hooks
