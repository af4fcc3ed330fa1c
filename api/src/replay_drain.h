#pragma once

#include <tt-metalium/device.hpp>
#include <tt-metalium/event.hpp>

namespace tt::tt_metal::replay_hooks {

// Waits for all queues of the device as Synchronize does, and is never recorded: a replay waits
// where its program did not.
void drain(IDevice& device);

// Lets the queues go on that wait for the event, whether or not it is recorded: for one that no
// call will record.
void end_waits(const Event& event);
// Whether a call has recorded it; it need not have been reached.
bool was_recorded(const Event& event);

}  // namespace tt::tt_metal::replay_hooks
