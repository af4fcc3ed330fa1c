#pragma once

// Where the header lies since the summer of 2025.
#include <tt-metalium/overloaded.hpp>  // IWYU pragma: export
