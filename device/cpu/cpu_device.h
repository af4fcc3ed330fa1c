#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "device/device.h"

// A functional grid of Tensix cores on the host's processors: it computes what the hardware would
// compute, and does not model how long the hardware takes. Settings come from the environment:
// threads/settings.h, machine/print_sink.h, machine/event_counts.h.
namespace lightmetal::device::cpu {

// Opens a device with all its memory reserved and no thread of its own yet. InvalidArgument when
// the profile is one that this device cannot have, or when a variable of the environment has a
// value that it cannot have. Thread-safe.
absl::StatusOr<std::unique_ptr<Device>> open_cpu_device(const DeviceOptions& options);

}  // namespace lightmetal::device::cpu
