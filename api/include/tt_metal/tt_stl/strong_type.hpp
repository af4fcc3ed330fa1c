#pragma once

// Where the header was until March 2025.
#include <tt_stl/strong_type.hpp>  // IWYU pragma: export
