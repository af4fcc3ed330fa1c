#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "device/device.h"

// The backends by name. This folder stands above them all: it alone includes theirs.
namespace lightmetal::device {

using DeviceFactory = std::function<absl::StatusOr<std::unique_ptr<Device>>(const DeviceOptions&)>;

// Makes `name` known to open_device, or changes what it stands for. Thread-safe.
void register_device(const std::string& name, DeviceFactory factory);

// Opens the backend called `name` ("cpu", "null"). The built-in ones are always there. NotFound for
// a name that nobody registered; it lists those there are. Thread-safe.
absl::StatusOr<std::unique_ptr<Device>> open_device(const std::string& name,
                                                    const DeviceOptions& options);

}  // namespace lightmetal::device
