#pragma once

// The header's name until September 2025.
#include <umd/device/types/xy_pair.hpp>  // IWYU pragma: export
