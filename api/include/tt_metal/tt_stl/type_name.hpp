#pragma once

// Where the header was until March 2025.
#include <tt_stl/type_name.hpp>  // IWYU pragma: export
