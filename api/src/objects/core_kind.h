#pragma once

#include <tt-metalium/core_types.hpp>
#include <tt-metalium/kernel.hpp>

#include "device/device.h"

namespace tt::tt_metal {

// Whether a core type means worker or Ethernet cores. Throws std::runtime_error for other types, on
// which there are no `what` ("semaphores").
lightmetal::device::CoreKind kind_of(CoreType core_type, const char* what);

// The kind of core that a kernel runs on.
lightmetal::device::CoreKind kind_of(const Kernel& kernel);

}  // namespace tt::tt_metal
