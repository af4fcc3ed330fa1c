#pragma once

#include <concepts>
#include <tt-metalium/assert.hpp>
#include <type_traits>

namespace tt {

// `a` divided by `b`, rounded up. REQUIRES, here and below: values are not negative, and `b` is not
// zero.
template <std::integral A, std::integral B>
constexpr auto div_up(A a, B b) -> std::common_type_t<A, B> {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) / static_cast<T>(b) +
         (static_cast<T>(a) % static_cast<T>(b) != 0 ? 1 : 0);
}

// `a` rounded up, or down, to a multiple of `b`.
template <std::integral A, std::integral B>
constexpr auto round_up(A a, B b) -> std::common_type_t<A, B> {
  return div_up(a, b) * static_cast<std::common_type_t<A, B>>(b);
}
template <std::integral A, std::integral B>
constexpr auto round_down(A a, B b) -> std::common_type_t<A, B> {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) / static_cast<T>(b) * static_cast<T>(b);
}

}  // namespace tt
