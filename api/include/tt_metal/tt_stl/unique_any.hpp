#pragma once

// Where the header was until March 2025.
#include <tt_stl/unique_any.hpp>  // IWYU pragma: export
