#pragma once

#include <hostdevcommon/kernel_structs.h>  // IWYU pragma: export

#include <cstdint>
#include <hostdevcommon/common_values.hpp>  // IWYU pragma: export

// Alignments of addresses in bytes, as programs of 2024 ask for them. Later ones ask the device's
// allocator or <tt-metalium/hal.hpp>.
inline constexpr uint32_t L1_ALIGNMENT = 16;
inline constexpr uint32_t DRAM_ALIGNMENT = 32;
inline constexpr uint32_t PCIE_ALIGNMENT = 32;
