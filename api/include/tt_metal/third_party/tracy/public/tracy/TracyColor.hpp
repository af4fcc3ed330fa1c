#pragma once

// Where the header was until the end of 2024.
#include <tracy/TracyColor.hpp>  // IWYU pragma: export
