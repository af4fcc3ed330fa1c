#pragma once

// chip_id_t
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
