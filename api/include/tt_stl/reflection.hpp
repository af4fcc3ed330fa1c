#pragma once

// Where the header is since March 2025.
#include <tt-metalium/reflection.hpp>  // IWYU pragma: export
