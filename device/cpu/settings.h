#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lightmetal::device::cpu {

// How a CPU device runs kernels.
struct Settings {
  // Threads at most: LIGHTMETAL_CPU_DEVICE_WORKERS, else the processors of the host.
  uint32_t workers = 1;
  // How long kernels may poll memory with nothing changing: LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS,
  // else 10 seconds.
  absl::Duration patience = absl::Seconds(10);

  // InvalidArgument when a variable is set to what is not a number in its range.
  static absl::StatusOr<Settings> from_environment();
};

}  // namespace lightmetal::device::cpu
