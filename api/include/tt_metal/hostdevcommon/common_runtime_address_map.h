#pragma once

// Where the header lay until the end of 2024.
#include <hostdevcommon/common_runtime_address_map.h>  // IWYU pragma: export
