#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace tt::tt_metal {

// One launch of a device trace, complete in itself: the program may change or go away afterwards.
struct TracedLaunch {
  lightmetal::device::Launch launch;
  // The compiled kernels, in the order of launch.plan->kernels, for captures and for other devices.
  std::vector<std::shared_ptr<const lightmetal::device::KernelObject>> objects;
};

// What a device trace holds; TraceDescriptor points to one. Immutable once the trace has been
// captured or loaded.
struct TraceContent {
  std::vector<TracedLaunch> launches;
};

}  // namespace tt::tt_metal
