#pragma once

// Shapes are in one header here.
#include <tt-metalium/shape.hpp>  // IWYU pragma: export
