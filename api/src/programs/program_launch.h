#pragma once

#include <tt-metalium/program.hpp>

#include "api/src/devices/device_impl.h"
#include "device/device.h"

namespace tt::tt_metal {

// What a command queue or a device trace takes of a program.
TracedLaunch traced_launch_of(Program& program, DeviceImpl& device);
lightmetal::device::Launch launch_of(Program& program, DeviceImpl& device);

// For the call that is being captured, before it is recorded: what the launch needs that has not
// been recorded yet. REQUIRES: the program has been prepared for the device.
void record_argument_writes(const ProgramState& program);
void record_before_launch(const Program& program, const DeviceImpl& device);

}  // namespace tt::tt_metal
