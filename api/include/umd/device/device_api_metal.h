#pragma once

// What upstream's driver shows its users, as far as programs ask without a device. The options are
// not its own: upstream brings them with nearly every header, and helpers of its tests rely on it.
#include <umd/device/tt_cluster_descriptor.h>  // IWYU pragma: export
#include <umd/device/tt_simulation_device.h>   // IWYU pragma: export

#include <tt-metalium/rtoptions.hpp>  // IWYU pragma: export
