#pragma once

#include "absl/status/status.h"
#include "base/device_profile.h"

namespace lightmetal::replay {

// The caller's device is what was recorded. Everything that a file says by itself has been checked
// before: schema/verify.h.
absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present);

}  // namespace lightmetal::replay
