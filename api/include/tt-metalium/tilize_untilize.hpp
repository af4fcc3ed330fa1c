#pragma once

// Upstream's name of tilize_utils.hpp until the spring of 2025.
#include <tt-metalium/tilize_utils.hpp>  // IWYU pragma: export
