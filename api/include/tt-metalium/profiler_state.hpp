#pragma once

namespace tt::tt_metal {

// Returns true if TT_METAL_DEVICE_PROFILER asks devices to time the zones of kernels.
bool getDeviceProfilerState();

}  // namespace tt::tt_metal
