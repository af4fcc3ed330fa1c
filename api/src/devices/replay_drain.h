#pragma once

#include <tt-metalium/device.hpp>
#include <tt-metalium/event.hpp>

namespace tt::tt_metal::replay_hooks {

// Waits for all queues of the device and for launches beside them, whatever fails in them, and
// throws the first error then. Afterwards nothing is under way that was enqueued. Never recorded: a
// replay waits where its program did not.
void drain(IDevice& device);

// Drops the errors of the device's queues and of the launches beside them, for which a call of the
// program threw. Waits before that, if it is to, for what was enqueued; false when it has given up
// to wait for one of them.
bool drop_errors(IDevice& device, bool waits);

// Lets the queues go on that wait for the event, whether or not it is recorded: for one that no
// call will record.
void end_waits(const Event& event);
// Whether a call has recorded it; it need not have been reached.
bool was_recorded(const Event& event);

}  // namespace tt::tt_metal::replay_hooks
