#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/test_tiles.hpp>  // IWYU pragma: export
