#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "device/device.h"

// A device that does nothing: writes vanish, reads give zeros, kernels are neither compiled nor
// run. Ranges are checked as on every backend. The device shows what the host side of a program
// costs, and is where a new backend starts: copy it and fill in one function after the other.
namespace lightmetal::device::null {

// The target of a kernel object says what can run it: the backend, the architecture, a version.
// Change the version when older objects no longer run.
inline constexpr char kTarget[] = "null-any-1";

absl::StatusOr<std::unique_ptr<Device>> open_null_device(const DeviceOptions& options);

}  // namespace lightmetal::device::null
