#pragma once

// Upstream's name of the header.
#include <tt-metalium/circular_buffer_constants.hpp>  // IWYU pragma: export
