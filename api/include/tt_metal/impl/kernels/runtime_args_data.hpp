#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/runtime_args_data.hpp>  // IWYU pragma: export
