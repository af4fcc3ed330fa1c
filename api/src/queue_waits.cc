// Waiting for queues.
#include <string_view>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/capture_calls.h"
#include "api/src/device_impl.h"
#include "api/src/record.h"
#include "capture/capture.h"

namespace tt::tt_metal {

using lightmetal::capture::announce;
using lightmetal::capture::CallScope;

namespace {

constexpr std::string_view kCalls = "Finish and Synchronize";

// Waits for the queue; `record()` records the call.
template <class Record>
void finish(const CallScope& scope, CommandQueueImpl& queue,
            tt::stl::Span<const SubDeviceId> sub_devices, Record record) {
  queue.check_accepts(kCalls);
  const auto record_as = [&](QueueCall::Says says) {
    if (QueueCall::waits(says)) record();
  };
  QueueCall call(scope, QueueWait::kUntilDone, record_as);
  call.announces = true;
  call.sub_devices = sub_devices;
  queue.run(call, queue.behind_launches(nullptr, sub_devices));
}

}  // namespace

void Finish(CommandQueue& cq, tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  queue.device_impl().sub_devices().check(sub_device_ids);
  finish(light_metal_call_scope, queue, sub_device_ids,
         [&] { record<schema::FinishQueue>(cq, sub_device_ids); });
}

void Synchronize(IDevice* device, const std::optional<uint8_t> cq_id,
                 tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& waited_for = impl_of(device);
  waited_for.check_open();
  waited_for.sub_devices().check(sub_device_ids);
  const auto record_sync = [&] { capture_calls::synchronize(*device, cq_id, sub_device_ids); };
  if (cq_id || waited_for.num_hw_cqs() == 1) {
    return finish(light_metal_call_scope, waited_for.queue(cq_id.value_or(0)), sub_device_ids,
                  record_sync);
  }
  announce(light_metal_call_scope, record_sync);
  for (uint32_t i = 0; i < waited_for.num_hw_cqs(); ++i) {
    CommandQueueImpl& queue = waited_for.queue(i);
    queue.check_accepts(kCalls);
    queue.finish(sub_device_ids);
    queue.order().record_done();
  }
  LIGHT_METAL_TRACE_FUNCTION_CALL(record_sync);
}

void DumpDeviceProfileResults(IDevice* device, const Program&) { Synchronize(device); }

namespace detail {

void DumpDeviceProfileResults(IDevice* device) { Synchronize(device); }
void DumpDeviceProfileResults(IDevice* device, const Program&) { Synchronize(device); }

}  // namespace detail
}  // namespace tt::tt_metal
