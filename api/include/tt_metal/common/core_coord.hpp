#pragma once

// Where the header was until the end of 2024.
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export
