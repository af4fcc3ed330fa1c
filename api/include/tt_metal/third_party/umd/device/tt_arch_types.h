#pragma once

// Where the header lay until the end of 2024.
#include <umd/device/types/arch.h>  // IWYU pragma: export
