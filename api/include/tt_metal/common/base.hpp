#pragma once

// What programs of 2024 got without an include and without `std::`: the names that upstream's
// header of that time makes global.
#include <hostdevcommon/common_runtime_address_map.h>  // IWYU pragma: export

#include <tt-metalium/assert.hpp>                // IWYU pragma: export
#include <tt-metalium/core_coord.hpp>            // IWYU pragma: export
#include <tt-metalium/standard_headers.hpp>      // IWYU pragma: export
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export

using std::array;
using std::map;
using std::ostream;
using std::pair;
using std::size_t;
using std::string;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
using std::vector;
