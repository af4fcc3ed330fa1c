#pragma once

// The later name of the header.
#include <tt-metalium/circular_buffer_types.hpp>
