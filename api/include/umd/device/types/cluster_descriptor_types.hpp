#pragma once

// The name of the header in upstream's driver.
#include <tt-metalium/boards.hpp>  // IWYU pragma: export
