#pragma once

// Where the header lay until the end of 2024.
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
