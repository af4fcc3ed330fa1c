#pragma once

// The header's name until September 2025.
#include <umd/device/types/cluster_descriptor_types.hpp>  // IWYU pragma: export
