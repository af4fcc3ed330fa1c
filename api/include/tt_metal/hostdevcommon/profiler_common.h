#pragma once

// Where the header lay until the end of 2024.
#include <hostdevcommon/profiler_common.h>  // IWYU pragma: export
