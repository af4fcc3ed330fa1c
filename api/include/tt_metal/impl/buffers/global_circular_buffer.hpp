#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/global_circular_buffer.hpp>  // IWYU pragma: export
