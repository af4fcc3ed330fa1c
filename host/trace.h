#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/core.h"
#include "host/placement.h"

// Device traces: launches that a device keeps. A launch has the number of its lane: 0 on a device
// that is not divided, otherwise one more than that of its sub-device.
namespace lightmetal::host {

// A trace fits where the device is divided as it was when the trace was captured.
absl::Status check_lane(uint32_t lane, const Target& target);
// REQUIRES: check_lane().
absl::Status check_core_of_lane(const Core& core, uint32_t lane, const Target& target);

// Trace `trace` is on the target's device, or not.
absl::Status check_on_device(uint64_t trace, bool is_there, const Target& target);
// It is replayed while the manager is loaded for which it was captured or loaded.
absl::Status check_manager(uint64_t trace, uint64_t its_manager, uint64_t loaded_manager);

}  // namespace lightmetal::host
