#pragma once

// Where the header lies since the summer of 2025.
#include <tt-metalium/small_vector.hpp>  // IWYU pragma: export
