#pragma once

#include <concepts>
#include <cstdint>
#include <tt-metalium/math.hpp>
#include <type_traits>

namespace tt {

// `value` rounded up to a multiple of `alignment`, which need not be a power of two.
template <std::integral A, std::integral B>
constexpr auto align(A value, B alignment) -> std::common_type_t<A, B> {
  return round_up(value, alignment);
}

}  // namespace tt
