#pragma once

// The number of a chip, tt::ChipId.
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
