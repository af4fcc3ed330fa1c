#pragma once

// Where the host API lay until the end of 2024, with what its header brought at that time.
#include <tt-metalium/device_impl.hpp>  // IWYU pragma: export
#include <tt-metalium/host_api.hpp>     // IWYU pragma: export
#include <tt_metal/common/base.hpp>     // IWYU pragma: export
