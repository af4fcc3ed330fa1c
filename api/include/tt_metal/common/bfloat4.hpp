#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/bfloat4.hpp>  // IWYU pragma: export
