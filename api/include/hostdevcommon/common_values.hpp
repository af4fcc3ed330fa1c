#pragma once

#include <cstddef>
#include <cstdint>

// Values that host programs and kernels share.
inline constexpr uint32_t INVALID = 0;
inline constexpr uint32_t VALID = 1;
inline constexpr size_t DEFAULT_L1_SMALL_SIZE = 0;
inline constexpr size_t DEFAULT_TRACE_REGION_SIZE = 0;
inline constexpr size_t DEFAULT_WORKER_L1_SIZE = 0;
