#pragma once

// Where the header was until March 2025.
#include <tt_stl/aligned_allocator.hpp>  // IWYU pragma: export
