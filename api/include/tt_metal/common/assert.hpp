#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/assert.hpp>  // IWYU pragma: export
