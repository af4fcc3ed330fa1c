#pragma once

// Where the header is since December 2025.
#include <tt-metalium/lightmetal_binary.hpp>  // IWYU pragma: export

namespace tt::tt_metal::experimental::lightmetal {

using tt::tt_metal::LightMetalBinary;

}  // namespace tt::tt_metal::experimental::lightmetal
