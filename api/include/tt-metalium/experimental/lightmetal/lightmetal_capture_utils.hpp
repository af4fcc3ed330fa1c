#pragma once

// Where the header is since December 2025.
#include <tt-metalium/lightmetal_capture_utils.hpp>  // IWYU pragma: export
