#pragma once

#include <tt-metalium/layout_conversion.hpp>  // IWYU pragma: export
#include <tt-metalium/tilize_utils.hpp>       // IWYU pragma: export

// The name of TensorLayoutType until the spring of 2025. tilize_utils.hpp does not bring it, since
// programs of today mean tt::tt_metal::TensorLayout.
using TensorLayout = TensorLayoutType;
