#pragma once

#include <tt-metalium/hal.hpp>  // IWYU pragma: export

namespace tt::tt_metal {

// The architecture of the devices that this process opens.
inline tt::ARCH get_platform_architecture() { return hal::get_arch(); }

}  // namespace tt::tt_metal
