// Waiting for queues.
#include <tt-metalium/assert.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>

#include "api/src/capture_calls.h"
#include "api/src/device_impl.h"
#include "capture/capture.h"

namespace tt::tt_metal {

using lightmetal::capture::announce;

namespace {

void finish(CommandQueueImpl& queue, tt::stl::Span<const SubDeviceId> sub_devices) {
  queue.check_accepts("Finish and Synchronize");
  queue.finish(sub_devices);
}

}  // namespace

void Finish(CommandQueue& cq, tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  queue.device_impl().sub_devices().check(sub_device_ids);
  announce(light_metal_call_scope, [&] { capture_calls::finish(cq, sub_device_ids); });
  finish(queue, sub_device_ids);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::finish, cq, sub_device_ids);
}

void Synchronize(IDevice* device, const std::optional<uint8_t> cq_id,
                 tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  DeviceImpl& waited_for = impl_of(device);
  waited_for.check_open();
  waited_for.sub_devices().check(sub_device_ids);
  announce(light_metal_call_scope,
           [&] { capture_calls::synchronize(*device, cq_id, sub_device_ids); });
  const uint32_t first = cq_id.value_or(0);
  const uint32_t end = cq_id ? first + 1 : waited_for.num_hw_cqs();
  for (uint32_t i = first; i < end; ++i) finish(waited_for.queue(i), sub_device_ids);
  LIGHT_METAL_TRACE_FUNCTION_CALL(capture_calls::synchronize, *device, cq_id, sub_device_ids);
}

void DumpDeviceProfileResults(IDevice* device, const Program&) { Synchronize(device); }

namespace detail {

void DumpDeviceProfileResults(IDevice* device) { Synchronize(device); }
void DumpDeviceProfileResults(IDevice* device, const Program&) { Synchronize(device); }

}  // namespace detail
}  // namespace tt::tt_metal
