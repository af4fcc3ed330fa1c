#pragma once

// What a chip's cores are called; where they lie is asked of a device.
#include <umd/device/tt_core_coordinates.h>  // IWYU pragma: export
