#pragma once

#include "base/device_profile.h"

namespace tt::tt_metal {

// The profile of the devices that this process opens: that of the architecture which
// LIGHTMETAL_DEVICE_PROFILE names ("blackhole"; "wormhole_b0" without the variable). A replay
// brings profiles of its own. The variable is read by each call; throws std::runtime_error for a
// name that is not known.
const lightmetal::DeviceProfile& process_profile();

}  // namespace tt::tt_metal
