#pragma once

#include "absl/status/status.h"
#include "base/device_profile.h"

namespace lightmetal::replay {

// FailedPrecondition, which says what differs, when the device that is present does not have the
// recorded profile. What a file says of itself is checked before, by schema/verify.h.
absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present);

}  // namespace lightmetal::replay
