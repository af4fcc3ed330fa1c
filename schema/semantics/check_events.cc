// Events, and what the host waits for.
//
// A queue waits for the last recording of an event before the wait, or for the first one to come
// where there was none. So a wait may come before its recording, as long as the host does not in
// between wait for that queue, or for one that waits for it in turn: a replay makes its calls one
// after the other.
#include "base/status.h"
#include "schema/semantics/checker.h"

namespace lightmetal::schema::semantics {
namespace {

using Operation = QueueState::Operation;

// Does what the queue can do. Returns true when that was a recording, for which other queues may
// wait.
bool advance(QueueState& queue) {
  bool recorded = false;
  while (queue.is_stuck()) {
    const Operation& next = queue.operations.front();
    if (next.waits && !next.event->has_reached(next.recording)) break;
    if (!next.waits) {
      next.event->reach(next.recording);
      recorded = true;
    }
    queue.operations.pop_front();
  }
  return recorded;
}

absl::Status stuck(const DeviceState& device, size_t number,
                   absl::string_view why = "which no command before records") {
  return of_files_alone(not_now(device.object(), "its queue ", number, " waits for event ",
                                device.queues[number].operations.front().event_id, ", ", why,
                                ": a replay would wait for ever"));
}

// Ends the waits for events that were never recorded. A replay does so at the end of an incomplete
// file, which may lack the command that records the event.
void end_waits_for_unrecorded(QueueState& queue) {
  for (const Operation& operation : queue.operations) {
    host::EventProgress& event = *operation.event;
    if (event.recorded() == 0) event.end_waits();
  }
}

}  // namespace

void Checker::advance_all() {
  // A recording in one queue may let another one go on, so this goes round until nothing moves.
  bool again = true;
  while (again) {
    again = false;
    for (const Device& device : open_devices_) {
      for (QueueState& queue : device->queues) again = advance(queue) || again;
    }
  }
}

absl::Status Checker::block_on(const Queue& queue) {
  if (queue.state().is_stuck()) return stuck(*queue.device, queue.number);
  queue.state().held.release();
  return absl::OkStatus();
}

absl::Status Checker::block_on_all(const Device& device) {
  for (size_t number = 0; number < device->queues.size(); ++number) {
    LM_RETURN_IF_ERROR(block_on({device, static_cast<uint8_t>(number)}));
  }
  return absl::OkStatus();
}

absl::Status Checker::block_if(bool blocking, const Queue& queue) {
  return blocking ? block_on(queue) : absl::OkStatus();
}

absl::Status Checker::finish(bool complete) {
  if (!complete) {
    for (const Device& device : open_devices_) {
      for (QueueState& queue : device->queues) end_waits_for_unrecorded(queue);
    }
    advance_all();
  }
  for (const Device& device : open_devices_) {
    for (size_t number = 0; number < device->queues.size(); ++number) {
      if (!device->queues[number].is_stuck()) continue;
      return complete ? stuck(*device, number)
                      : stuck(*device, number, "which is recorded only behind a wait for it");
    }
  }
  return absl::OkStatus();
}

absl::Status Checker::check(const EventCreate& call) {
  auto event = std::make_shared<EventState>();
  event->id = call.id();
  return add(events_, std::move(event));
}

absl::Status Checker::check(const EventDestroy& call) {
  events_.remove(call.event());
  return absl::OkStatus();
}

absl::Status Checker::check(const EnqueueRecordEvent& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_RETURN_IF_ERROR(check_sub_devices(*on.device, call.sub_devices()));
  LM_ASSIGN_OR_RETURN(event, events_.find(call.event()));
  event->device = on.device;
  const uint64_t recording = event->progress->record();
  on.state().operations.push_back({event->progress, recording, false, event->id});
  advance_all();
  return absl::OkStatus();
}

absl::Status Checker::check(const EnqueueWaitForEvent& call) {
  LM_ASSIGN_OR_RETURN(on, queue(call.device(), call.cq()));
  LM_ASSIGN_OR_RETURN(event, events_.find(call.event()));
  const uint64_t recording = host::awaited_by_queue(event->progress->recorded());
  on.state().operations.push_back({event->progress, recording, true, event->id});
  // A wait records nothing, so no other queue can go on because of it.
  advance(on.state());
  return absl::OkStatus();
}

absl::Status Checker::check(const EventSynchronize& call) {
  LM_ASSIGN_OR_RETURN(event, events_.find(call.event()));
  const Object object{"event", event->id};
  const uint64_t recording = event->progress->recorded();
  LM_RETURN_IF_ERROR(about(object, host::check_awaited_by_host(recording)));
  if (!event->device->open) return not_now(object, "the device of its queue has been closed");
  if (event->progress->has_reached(recording)) return absl::OkStatus();
  return of_files_alone(not_now(object,
                                "the host waits for it before the queue that records it can: a "
                                "replay would wait for ever"));
}

}  // namespace lightmetal::schema::semantics
