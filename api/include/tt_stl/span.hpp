#pragma once

// Where the header lies since the summer of 2025.
#include <tt-metalium/span.hpp>  // IWYU pragma: export
