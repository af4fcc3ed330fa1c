#pragma once

#include <cstdint>

namespace ll_api {

// REQUIRES, here and below: divisors and the arguments of logarithms are not 0.
constexpr uint32_t round_up_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
constexpr uint32_t round_up_to(uint32_t a, uint32_t b) { return round_up_div(a, b) * b; }

// The logarithm to base 2, rounded down and up.
constexpr uint32_t log2_flr_const(uint32_t a) { return a <= 1 ? 0 : 1 + log2_flr_const(a / 2); }
constexpr uint32_t log2_const(uint32_t a) { return a <= 1 ? 0 : 1 + log2_flr_const(a - 1); }

// The next power of two that is not below `a`.
constexpr uint32_t round_to_power_of_2(uint32_t a) { return 1u << log2_const(a); }

}  // namespace ll_api
