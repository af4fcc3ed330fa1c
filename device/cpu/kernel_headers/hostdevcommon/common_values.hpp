#pragma once

#include <cstdint>

// What multicast protocols write into semaphores.
inline constexpr uint32_t INVALID = 0;
inline constexpr uint32_t VALID = 1;
