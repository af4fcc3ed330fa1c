#pragma once

// Where the header lay until the end of 2024.
#include <magic_enum/magic_enum.hpp>  // IWYU pragma: export
