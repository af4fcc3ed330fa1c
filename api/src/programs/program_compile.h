#pragma once

#include "api/src/objects/program_state.h"

namespace tt::tt_metal {

class DeviceState;

// Compiles those kernels of the program that have not been compiled for the device's backend, on
// all processors of the host; equal ones once. Nothing can be added to the program afterwards.
// Throws std::runtime_error with the compiler's messages about the first kernel that does not
// compile; the others are compiled all the same, and kept.
void compile(ProgramState& program, DeviceState& device);

// Records the compiled kernels that a capture does not hold yet: those for the device, or, when
// `device` is null, those for every device. REQUIRES: the program is compiled for the device.
void record_kernel_binaries(const ProgramState& program, const DeviceState* device);

}  // namespace tt::tt_metal
