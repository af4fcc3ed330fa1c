#pragma once

// Where the header was until the summer of 2026.
#include <tt-metalium/tensor/tensor_types.hpp>  // IWYU pragma: export
