#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/global_semaphore.hpp>  // IWYU pragma: export
