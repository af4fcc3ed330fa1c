#pragma once

// Where the header is since March 2025.
#include <tt-metalium/aligned_allocator.hpp>  // IWYU pragma: export
