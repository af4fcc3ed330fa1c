#pragma once

#include <cstdint>
#include <vector>

// A program as users write it: two chips, whose Ethernet cores carry a buffer from one to the
// other and back, with nothing on the host waiting in between.
namespace lightmetal::testing {

// Opens chips 0 and 1, sends `data` (whole words of 16 bytes, 64 KiB at most) from DRAM to DRAM
// over every wire from chip 0 to chip 1, `rounds` times, and closes them. Returns what arrived.
std::vector<uint32_t> exchange(const std::vector<uint32_t>& data, uint32_t rounds);

}  // namespace lightmetal::testing
