#pragma once

// Where the header was until March 2025.
#include <tt_stl/reflection.hpp>  // IWYU pragma: export
