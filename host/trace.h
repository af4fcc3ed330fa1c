#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/core.h"
#include "host/placement.h"

// Rules for device traces, which are launches that a device keeps. Each launch has the number of
// its lane: 0 on a device that is not divided, otherwise the number of its sub-device plus 1.
namespace lightmetal::host {

// A launch of a trace has the lane that it had at capture: the device is divided if and only if it
// was divided then, and has that sub-device.
absl::Status check_lane(uint32_t lane, const Target& target);
// The sub-device of the lane has the core. REQUIRES: check_lane() is OK.
absl::Status check_core_of_lane(const Core& core, uint32_t lane, const Target& target);

// `is_there` is whether the target's device has the trace.
absl::Status check_on_device(uint64_t trace, bool is_there, const Target& target);
// A trace is replayed only while the manager is loaded for which the trace was captured or loaded.
// FailedPrecondition otherwise.
absl::Status check_manager(uint64_t trace, uint64_t its_manager, uint64_t loaded_manager);

}  // namespace lightmetal::host
