#pragma once

// Where the header is since March 2025.
#include <tt-metalium/strong_type.hpp>  // IWYU pragma: export
