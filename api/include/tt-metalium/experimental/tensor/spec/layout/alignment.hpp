#pragma once

// Where the header was until the summer of 2026.
#include <tt-metalium/tensor/spec/layout/alignment.hpp>  // IWYU pragma: export
