#pragma once

// Where the header was until the summer of 2026.
#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>  // IWYU pragma: export
