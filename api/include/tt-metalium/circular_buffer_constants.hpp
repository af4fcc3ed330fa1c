#pragma once

// Circular buffers' numbers and indices are in one header here, which kernels' host programs know
// by its own path.
#include <hostdevcommon/kernel_structs.h>  // IWYU pragma: export
