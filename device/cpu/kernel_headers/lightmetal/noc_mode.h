#pragma once

#include <cstdint>

// Whether a data-movement kernel has a NoC of its own or both for itself and its neighbour. Stands
// behind the defines, among which the host's choice comes. The device takes transfers alike.
enum : uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1, DM_INVALID_NOC = 2 };
#ifndef NOC_MODE
#define NOC_MODE DM_DEDICATED_NOC
#endif
inline constexpr uint8_t noc_mode = NOC_MODE;
