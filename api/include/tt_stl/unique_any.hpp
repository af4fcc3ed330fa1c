#pragma once

// Where the header is since March 2025.
#include <tt-metalium/unique_any.hpp>  // IWYU pragma: export
