#pragma once

#include <cstdint>

namespace lightmetal {

// To multiples of `unit`. REQUIRES: it is not 0, and the result has 64 bits.
constexpr uint64_t round_down(uint64_t value, uint64_t unit) { return value / unit * unit; }
constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return round_down(value + unit - 1, unit);
}

}  // namespace lightmetal
