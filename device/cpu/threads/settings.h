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
  // What is checked beyond the usual, bits of kernel_abi::Check: LIGHTMETAL_CPU_DEVICE_CHECKS, a
  // list of names (diagnosis/checks.h).
  uint32_t checks = 0;
  // Kernels are compiled and loaded for a debugger: LIGHTMETAL_CPU_DEVICE_DEBUG is 1.
  bool debug = false;

  // InvalidArgument when a variable is set to what it cannot be.
  static absl::StatusOr<Settings> from_environment();
};

}  // namespace lightmetal::device::cpu
