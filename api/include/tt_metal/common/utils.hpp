#pragma once

// Where the header lay until the end of 2024.
#include <string>
#include <tt-metalium/utils.hpp>  // IWYU pragma: export

using std::string;
