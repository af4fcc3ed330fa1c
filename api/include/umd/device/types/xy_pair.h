#pragma once

// Coordinates are in one header here.
#include <tt-metalium/core_coord.hpp>  // IWYU pragma: export

namespace tt {

using xy_pair = ::tt_xy_pair;

}  // namespace tt
