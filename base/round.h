#pragma once

#include <cstdint>

namespace lightmetal {

// Round to a multiple of `unit`, the next lower or the next higher one. REQUIRES: `unit` is not 0,
// and value + unit - 1 fits into 64 bits.
constexpr uint64_t round_down(uint64_t value, uint64_t unit) { return value / unit * unit; }
constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return round_down(value + unit - 1, unit);
}

}  // namespace lightmetal
