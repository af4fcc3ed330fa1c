#pragma once

// Upstream's header of the types brings the chip along, so both are in one header here.
#include <tt-metalium/hal.hpp>  // IWYU pragma: export
