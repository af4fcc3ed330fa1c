#pragma once

// The name of the header in upstream's driver.
#include <tt-metalium/core_coordinates.hpp>  // IWYU pragma: export
