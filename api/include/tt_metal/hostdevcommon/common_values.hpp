#pragma once

// Where the header lay until the end of 2024.
#include <hostdevcommon/common_values.hpp>  // IWYU pragma: export
