#pragma once

// Where the header was until the end of 2024.
#include <tt-metalium/get_platform_architecture.hpp>  // IWYU pragma: export
