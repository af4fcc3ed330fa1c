#include "api/src/replay_drain.h"

#include <cstdint>
#include <limits>
#include <tt-metalium/host_api.hpp>

#include "api/src/event_progress.h"
#include "capture/capture.h"

namespace tt::tt_metal::replay_hooks {

void drain(IDevice& device) {
  // The outermost captured function on this thread, which records nothing: the call inside does
  // neither.
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  Synchronize(&device, std::nullopt, device.get_sub_device_ids());
}

void end_waits(const Event& event) {
  event.progress()->reach(std::numeric_limits<uint64_t>::max());
}

bool was_recorded(const Event& event) { return event.progress()->recorded() > 0; }

}  // namespace tt::tt_metal::replay_hooks
