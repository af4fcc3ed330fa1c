#pragma once

// The names of circular buffer indices, under the path by which kernels' host programs know them.
#include <tt-metalium/circular_buffer_constants.hpp>
