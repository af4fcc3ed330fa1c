#pragma once

// Where the header is since December 2025.
#include <tt-metalium/host_api.hpp>  // IWYU pragma: export

namespace tt::tt_metal::experimental::lightmetal {

using tt::tt_metal::LightMetalBeginCapture;
using tt::tt_metal::LightMetalEndCapture;

}  // namespace tt::tt_metal::experimental::lightmetal
