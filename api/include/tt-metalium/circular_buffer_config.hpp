#pragma once

// The later name of circular_buffer_types.hpp.
#include <tt-metalium/circular_buffer_types.hpp>
