#pragma once

// The header in which late 2025 has DumpDeviceProfileResults and its like. Here the functions are
// with all the others.
#include <tt-metalium/host_api.hpp>  // IWYU pragma: export
#include <tt-metalium/tt_metal.hpp>  // IWYU pragma: export
