#pragma once

#include <tt-metalium/device.hpp>

namespace tt::tt_metal::replay_hooks {

// Waits for all queues of the device as Synchronize does, and is never recorded: a replay waits
// where its program did not.
void drain(IDevice& device);

}  // namespace tt::tt_metal::replay_hooks
