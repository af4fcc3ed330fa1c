#pragma once

// Upstream's name of tilize_utils.hpp until the spring of 2025.
#include <tt-metalium/test_tiles.hpp>    // IWYU pragma: export
#include <tt-metalium/tilize_utils.hpp>  // IWYU pragma: export
