#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/persistent_kernel_cache.hpp>  // IWYU pragma: export
