#include <thread>
#include <tt-metalium/assert.hpp>
#include <tt-metalium/event.hpp>
#include <tt-metalium/host_api.hpp>

#include "absl/strings/str_format.h"
#include "api/src/devices/device_impl.h"
#include "api/src/support/errors.h"
#include "api/src/support/live_objects.h"
#include "api/src/support/next_id.h"
#include "api/src/work/event_progress.h"
#include "api/src/work/queue_record.h"
#include "capture/capture.h"
#include "host/event.h"

namespace tt::tt_metal {
namespace {

Event& checked(const std::shared_ptr<Event>& event) {
  TT_FATAL(event != nullptr, "The event is a null pointer");
  return *event;
}

absl::Status gave_up(uint32_t cq_id, int device_id) {
  return absl::CancelledError(absl::StrFormat(
      "Queue %d of device %d was closed while it waited for an event that was never recorded",
      cq_id, device_id));
}

}  // namespace

Event::Event() : unique_id_(next_unique_id<Event>()), progress_(std::make_shared<EventProgress>()) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LiveObjects<Event>::add(unique_id_, this);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EventCreate>, *this);
}

void Event::wait_until_ready() const {
  while (!ready) std::this_thread::yield();
}

Event::~Event() {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EventDestroy>, *this);
  LiveObjects<Event>::remove(unique_id_);
}

void EnqueueRecordEvent(CommandQueue& cq, const std::shared_ptr<Event>& event,
                        tt::stl::Span<const SubDeviceId> sub_device_ids) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  queue.check_accepts("Events");
  queue.device_state().sub_devices().check(sub_device_ids);
  Event& recorded = checked(event);
  recorded.device = queue.device();
  recorded.cq_id = queue.id();
  recorded.event_id = queue.next_event_id();
  // The recording is announced before the queue has it: whoever waits for it from here on waits for
  // something that will come.
  const uint64_t recording = recorded.progress()->record();
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  run_as<schema::EnqueueRecordEvent>(queue.order(), call,
                                     queue.behind_launches(
                                         [progress = recorded.progress(), recording] {
                                           progress->reach(recording);
                                           return absl::OkStatus();
                                         },
                                         sub_device_ids),
                                     cq, recorded, sub_device_ids);
  recorded.ready.store(true, std::memory_order_release);
}

void EnqueueWaitForEvent(CommandQueue& cq, const std::shared_ptr<Event>& event) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  CommandQueueImpl& queue = impl_of(cq);
  queue.check_accepts("Events");
  const Event& awaited = checked(event);
  // Of an event that was never recorded, the queue waits for the first recording.
  const uint64_t recording = lightmetal::host::awaited_by_queue(awaited.progress()->recorded());
  QueueCall call(light_metal_call_scope, QueueCall::Kind::kEffect, QueueWait::kNone);
  const auto wait = [&queue, progress = awaited.progress(), recording] {
    const bool reached = progress->wait(recording, queue.closing());
    return reached ? absl::OkStatus() : gave_up(queue.id(), queue.device()->id());
  };
  run_as<schema::EnqueueWaitForEvent>(queue.order(), call, wait, cq, awaited);
}

void EventSynchronize(const std::shared_ptr<Event>& event) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const Event& awaited = checked(event);
  const uint64_t recording = awaited.progress()->recorded();
  throw_if_error(lightmetal::host::check_awaited_by_host(recording));
  CommandQueueImpl& queue = impl_of(awaited.device->command_queue(awaited.cq_id));
  queue.check_accepts("Events");
  announce<schema::EventSynchronize>(light_metal_call_scope, awaited);
  awaited.progress()->wait(recording);
  queue.throw_error();
  if (light_metal_call_scope.records()) record_effects_of_all_but(nullptr);
  LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EventSynchronize>, awaited);
}

bool EventQuery(const std::shared_ptr<Event>& event) {
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  const Event& queried = checked(event);
  const uint64_t recording = queried.progress()->recorded();
  if (recording == 0) return false;
  if (!queried.progress()->has_reached(recording)) {
    impl_of(*queried.device).check_process();  // in a forked child it would never be reached
    return false;
  }
  // From here on the program relies on what came before the event, as if it had waited for the
  // event. CloseDevice has waited for all, so a closed device needs no record.
  if (queried.device->is_initialized()) {
    if (light_metal_call_scope.records()) record_effects_of_all_but(nullptr);
    LIGHT_METAL_TRACE_FUNCTION_CALL(record<schema::EventSynchronize>, queried);
  }
  return true;
}

}  // namespace tt::tt_metal
