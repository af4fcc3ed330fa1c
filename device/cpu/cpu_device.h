#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "device/device.h"

// A functional grid of Tensix cores on the host's processors: it computes what the device would,
// not in the same time. Settings come from the environment: settings.h, print_sink.h.
namespace lightmetal::device::cpu {

absl::StatusOr<std::unique_ptr<Device>> open_cpu_device(const DeviceOptions& options);

}  // namespace lightmetal::device::cpu
