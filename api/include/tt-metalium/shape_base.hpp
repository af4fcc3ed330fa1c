#pragma once

// Upstream's base of Shape. Shapes are in one header here.
#include <tt-metalium/shape.hpp>  // IWYU pragma: export
