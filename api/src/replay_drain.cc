#include "api/src/replay_drain.h"

#include <tt-metalium/host_api.hpp>

#include "capture/capture.h"

namespace tt::tt_metal::replay_hooks {

void drain(IDevice& device) {
  // The outermost captured function on this thread, which records nothing: the call inside does
  // neither.
  LIGHT_METAL_TRACE_FUNCTION_ENTRY();
  Synchronize(&device, std::nullopt, device.get_sub_device_ids());
}

}  // namespace tt::tt_metal::replay_hooks
