#pragma once

// Coordinates and types of cores are in two headers here.
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
