#pragma once

// Where the header is since March 2025.
#include <tt-metalium/concepts.hpp>  // IWYU pragma: export
