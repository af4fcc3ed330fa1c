#pragma once

// Where the header lay until the end of 2024.
#include <tracy/Tracy.hpp>  // IWYU pragma: export
