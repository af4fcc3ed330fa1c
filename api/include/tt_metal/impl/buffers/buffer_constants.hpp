#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/buffer_constants.hpp>  // IWYU pragma: export
