#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/schedule.h"

namespace lightmetal::device::cpu {

// How a CPU device runs kernels, as the environment says when the device is opened.
struct Settings {
  // In which order kernels run: LIGHTMETAL_CPU_DEVICE_SCHEDULE, else free. DeviceOptions::schedule
  // goes before it.
  Schedule schedule = {};
  // How many threads a launch may have at most with the free schedule, 1 to 1024:
  // LIGHTMETAL_CPU_DEVICE_WORKERS, else the number of the host's processors.
  uint32_t workers = 1;
  // How long kernels may poll memory while nothing changes: LIGHTMETAL_CPU_DEVICE_WATCHDOG_SECONDS,
  // 0.01 to 1e6, else 10 seconds.
  absl::Duration patience = absl::Seconds(10);
  // What is checked beyond what always is, as bits of kernel_abi::Check:
  // LIGHTMETAL_CPU_DEVICE_CHECKS, a list of names (diagnosis/checks.h), else nothing.
  uint32_t checks = 0;
  // Kernels are compiled and loaded for a debugger: LIGHTMETAL_CPU_DEVICE_DEBUG is 1.
  bool debug = false;

  // InvalidArgument, with the name of the variable, when a variable has a value that it cannot
  // have. An empty variable counts as one that is not set.
  static absl::StatusOr<Settings> from_environment();
};

}  // namespace lightmetal::device::cpu
