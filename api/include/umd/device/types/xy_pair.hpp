#pragma once

// The name of the header in upstream's driver.
#include <tt-metalium/xy_pair.hpp>  // IWYU pragma: export
