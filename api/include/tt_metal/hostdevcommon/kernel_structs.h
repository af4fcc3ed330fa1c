#pragma once

// Where the header lay until the end of 2024.
#include <hostdevcommon/kernel_structs.h>  // IWYU pragma: export
