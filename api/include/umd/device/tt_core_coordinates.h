#pragma once

// The header's name until September 2025. It brings the coordinates of the host API, too.
#include <tt-metalium/core_coord.hpp>             // IWYU pragma: export
#include <umd/device/types/core_coordinates.hpp>  // IWYU pragma: export
