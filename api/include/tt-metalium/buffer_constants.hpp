#pragma once

// Upstream's name of buffer_types.hpp until the spring of 2025.
#include <tt-metalium/buffer_types.hpp>  // IWYU pragma: export
