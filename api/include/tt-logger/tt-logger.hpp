#pragma once

// The log's header since the summer of 2025.
#include <tt-metalium/logger.hpp>  // IWYU pragma: export
