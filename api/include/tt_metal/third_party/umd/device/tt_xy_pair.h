#pragma once

// Where the header lay until the end of 2024.
#include <umd/device/tt_xy_pair.h>  // IWYU pragma: export
