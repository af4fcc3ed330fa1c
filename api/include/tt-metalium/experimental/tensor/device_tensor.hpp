#pragma once

// The name of the class and of its header until March 2026 held no declarations.
#include <tt-metalium/tensor/mesh_tensor.hpp>  // IWYU pragma: export
