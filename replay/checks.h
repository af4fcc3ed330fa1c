#pragma once

#include "absl/status/status.h"
#include "base/device_profile.h"
#include "schema/command_generated.h"

// What a file may say, and no device or host API would check: the file is not trusted.
namespace lightmetal::replay {

// The numbers of the profile are within what any device here can be.
absl::Status check_profile(const DeviceProfile& profile);

// The caller's device is what was recorded.
absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present);

// Everything in the trace names something that is there: kernels, arguments, cores, circular
// buffers, semaphores.
absl::Status check_trace(const schema::TraceContent& content, const DeviceProfile& profile);

}  // namespace lightmetal::replay
