#pragma once

// Devices are opened by the calls of the host API; this header is for programs that include
// upstream's, whose pool is no part of the API.
#include <tt-metalium/device_impl.hpp>  // IWYU pragma: export
#include <tt-metalium/tt_metal.hpp>     // IWYU pragma: export
