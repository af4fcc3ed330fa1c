#pragma once

// Coordinates are in one header here.
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
