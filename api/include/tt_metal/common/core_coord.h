#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
#include <utility>

using std::pair;
