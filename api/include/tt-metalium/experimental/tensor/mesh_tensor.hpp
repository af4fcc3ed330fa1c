#pragma once

// Where the header was until the summer of 2026.
#include <tt-metalium/tensor/mesh_tensor.hpp>  // IWYU pragma: export
