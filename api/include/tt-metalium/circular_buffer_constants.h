#pragma once

// Upstream's name of the header with the numbers and indices of circular buffers.
#include <tt-metalium/circular_buffer_constants.hpp>  // IWYU pragma: export
