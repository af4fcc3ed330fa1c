#pragma once

#include <cstdint>
#include <limits>
#include <tt-metalium/device.hpp>
#include <tt-metalium/event.hpp>

#include "base/mutex.h"

namespace tt::tt_metal::replay_hooks {

// Waits for the first `queues` queues of the device, or for all of fewer, and for launches beside
// them, whatever fails in them, and throws the first error afterwards. Then nothing is under way
// that was enqueued there. Never recorded: a replay waits here where its program did not.
void drain(IDevice& device, uint32_t queues = std::numeric_limits<uint32_t>::max());

// Those who share a device take turns in what drain() ends: the first one that waits for a queue
// has its errors. Lives as long as the process. Throws std::runtime_error in a forked child.
lightmetal::Mutex& turn_of(IDevice& device);

// Waits for all queues of the device and for launches beside them, as long as work goes on. Returns
// false when it gives up, because a queue waits for an event that nobody has recorded yet. Errors
// stay where they are. Returns true at once for a device that is closed or of another process.
bool wait_patiently(IDevice& device);

// Drops the errors of the device's queues and of the launches beside them, because a call of the
// program threw them. With `waits` it first waits for what was enqueued; returns false when it has
// given up one of these waits. Does nothing for a device that is closed or of another process.
bool drop_errors(IDevice& device, bool waits);

// Lets the queues go on that wait for the event, recorded or not. REQUIRES: no call will record the
// event.
void end_waits(const Event& event);
// True when a call has recorded the event, reached or not.
bool was_recorded(const Event& event);

}  // namespace tt::tt_metal::replay_hooks
