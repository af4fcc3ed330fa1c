#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/blockfloat_common.hpp>  // IWYU pragma: export
