#pragma once

#include <tt-metalium/program.hpp>

#include "api/src/devices/device_impl.h"
#include "device/device.h"

namespace tt::tt_metal {

// The launch of a program with its present arguments, for a queue or for a device trace. Compiles
// the program if need be. Throw std::runtime_error.
TracedLaunch traced_launch_of(Program& program, DeviceImpl& device);
lightmetal::device::Launch launch_of(Program& program, DeviceImpl& device);

// Record, for the call that is being captured and before it, what a launch needs that has not been
// recorded yet: words written through references, and (before_launch) compiled kernels. REQUIRES:
// the program has been prepared for the device.
void record_argument_writes(const ProgramState& program);
void record_before_launch(const Program& program, const DeviceImpl& device);

}  // namespace tt::tt_metal
