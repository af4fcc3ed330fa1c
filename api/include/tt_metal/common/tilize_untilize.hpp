#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/tilize_untilize.hpp>  // IWYU pragma: export
