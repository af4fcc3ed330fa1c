#pragma once

// Where the header was until March 2025.
#include <tt_stl/concepts.hpp>  // IWYU pragma: export
