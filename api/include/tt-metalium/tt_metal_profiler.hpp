#pragma once

// Where late 2025 has DumpDeviceProfileResults and its like; here they are with all the others.
#include <tt-metalium/host_api.hpp>  // IWYU pragma: export
#include <tt-metalium/tt_metal.hpp>  // IWYU pragma: export
