#pragma once

// Where the calls that concern the cache of compiled kernels were until the end of 2024.
#include <tt-metalium/persistent_kernel_cache.hpp>  // IWYU pragma: export
