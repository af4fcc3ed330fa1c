#pragma once

// Where the header was until March 2025.
#include <tt_stl/indestructible.hpp>  // IWYU pragma: export
