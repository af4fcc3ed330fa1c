#pragma once

// Formatters are in one header here.
#include <tt-metalium/formatters.hpp>  // IWYU pragma: export
