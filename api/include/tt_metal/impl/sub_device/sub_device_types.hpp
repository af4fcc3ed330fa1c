#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/sub_device_types.hpp>  // IWYU pragma: export
