#pragma once

// A header of upstream's own recorder, which its tests include for what comes along. How calls are
// recorded here is no matter of headers.
#include <tt-metalium/host_api.hpp>                  // IWYU pragma: export
#include <tt-metalium/lightmetal_capture_utils.hpp>  // IWYU pragma: export
