#pragma once

// Where the header lay until the end of 2024.
#include <tt_metal/common/core_coord.h>  // IWYU pragma: export

#include <tt-metalium/allocator_types.hpp>  // IWYU pragma: export
