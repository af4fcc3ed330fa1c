// Waiting for queues: Finish and Synchronize.
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"

namespace tt::tt_metal {

using lightmetal::capture::CallScope;

namespace {

constexpr std::string_view kCalls = "Finish and Synchronize";

// Waits for one queue; `Table` and `values` are the record of the call.
template <class Table, class... Values>
void wait_for(const CallScope& scope, CommandQueueImpl& queue,
              tt::stl::Span<const SubDeviceId> sub_devices, const Values&... values) {
  queue.check_accepts(kCalls);
  QueueCall call(scope, QueueCall::Kind::kWait, QueueWait::kUntilDone);
  call.announces = true;
  call.sub_devices = sub_devices;
  run_as<Table>(queue.order(), call, queue.behind_launches(nullptr, sub_devices), values...,
                sub_devices);
}

}  // namespace

void Finish(CommandQueue& cq, tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  queue.device_state().sub_devices().check(sub_device_ids);
  wait_for<schema::FinishQueue>(light_metal_call_scope, queue, sub_device_ids, cq);
}

void Synchronize(IDevice* device, const std::optional<uint8_t> cq_id,
                 tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& waited_for = impl_of(device);
  waited_for.check_open();
  waited_for.sub_devices().check(sub_device_ids);
  // A wait for one queue gets its place in the order of that queue. A wait for several queues has
  // no such place, and is recorded when it has come back.
  if (cq_id || waited_for.num_hw_cqs() == 1) {
    return wait_for<schema::Synchronize>(light_metal_call_scope,
                                         waited_for.queue(cq_id.value_or(0)), sub_device_ids,
                                         *device, cq_id);
  }
  announce<schema::Synchronize>(light_metal_call_scope, *device, cq_id, sub_device_ids);
  for (uint32_t i = 0; i < waited_for.num_hw_cqs(); ++i) {
    CommandQueueImpl& queue = waited_for.queue(i);
    queue.check_accepts(kCalls);
    queue.finish(sub_device_ids);
    // Calls of other threads that waited for the same work are recorded before this one.
    queue.order().record_done();
  }
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::Synchronize>, *device, cq_id, sub_device_ids);
}

}  // namespace tt::tt_metal
