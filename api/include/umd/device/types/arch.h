#pragma once

// The header's name until September 2025.
#include <umd/device/types/arch.hpp>  // IWYU pragma: export
