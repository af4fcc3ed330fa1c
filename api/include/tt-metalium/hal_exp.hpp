#pragma once

#include <tt-metalium/hal.hpp>  // IWYU pragma: export

namespace tt::tt_metal::experimental {

// Where the functions were until March 2025.
using tt::tt_metal::hal;

}  // namespace tt::tt_metal::experimental
