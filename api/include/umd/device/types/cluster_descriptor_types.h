#pragma once

#include <cstdint>

// chip_id_t
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export

enum class BoardType : uint32_t { N150, N300, P100, P150, P300, GALAXY, UBB, UNKNOWN };
