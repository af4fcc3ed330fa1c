#pragma once

// The numbers and indices of circular buffers are in one header here, which the host programs of
// kernels know by its own path.
#include <hostdevcommon/kernel_structs.h>  // IWYU pragma: export
