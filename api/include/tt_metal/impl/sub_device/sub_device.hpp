#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/sub_device.hpp>  // IWYU pragma: export
