#pragma once

#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
