#pragma once

// Where some of the functions were in the spring of 2026.
#include <tt-metalium/tensor/tensor_apis.hpp>  // IWYU pragma: export
