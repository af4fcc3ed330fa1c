#pragma once

// Where the header is since March 2025.
#include <tt-metalium/type_name.hpp>  // IWYU pragma: export
