#pragma once

#include <tt-metalium/shape.hpp>  // IWYU pragma: export

namespace tt::tt_metal {

// Upstream's base of Shape. Shapes are one class here.
using ShapeBase = Shape;

}  // namespace tt::tt_metal
