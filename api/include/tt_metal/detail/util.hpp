#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/util.hpp>       // IWYU pragma: export
#include <tt_metal/common/utils.hpp>  // IWYU pragma: export
