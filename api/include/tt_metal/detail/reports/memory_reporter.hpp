#pragma once

// Where the header was until the end of 2024.
#include <tt-metalium/memory_reporter.hpp>  // IWYU pragma: export
