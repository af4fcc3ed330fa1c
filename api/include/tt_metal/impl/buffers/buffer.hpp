#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/buffer.hpp>    // IWYU pragma: export
#include <tt_metal/common/base.hpp>  // IWYU pragma: export
