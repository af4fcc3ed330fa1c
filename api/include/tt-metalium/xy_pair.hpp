#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>

// Coordinates, by the names that upstream's driver has had for them.

// A core by its column x and its row y, counted from 0.
struct tt_xy_pair {
  std::size_t x = 0;
  std::size_t y = 0;

  constexpr tt_xy_pair() = default;
  constexpr tt_xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}

  std::string str() const;  // "(x=1,y=2)"

  // By x, then by y.
  friend constexpr auto operator<=>(const tt_xy_pair&, const tt_xy_pair&) = default;
};

// A core of a chip.
struct tt_cxy_pair : tt_xy_pair {
  std::size_t chip = 0;

  constexpr tt_cxy_pair() = default;
  constexpr tt_cxy_pair(std::size_t chip, const tt_xy_pair& core) : tt_xy_pair(core), chip(chip) {}
  constexpr tt_cxy_pair(std::size_t chip, std::size_t x, std::size_t y)
      : tt_xy_pair(x, y), chip(chip) {}

  std::string str() const;  // "(chip=0,x=1,y=2)"

  // By chip, then by core.
  friend constexpr bool operator==(const tt_cxy_pair&, const tt_cxy_pair&) = default;
  friend constexpr std::strong_ordering operator<=>(const tt_cxy_pair& a, const tt_cxy_pair& b) {
    if (a.chip != b.chip) return a.chip <=> b.chip;
    return static_cast<const tt_xy_pair&>(a) <=> static_cast<const tt_xy_pair&>(b);
  }
};

namespace tt {

using xy_pair = ::tt_xy_pair;
using cxy_pair = ::tt_cxy_pair;

namespace umd {

using tt::cxy_pair;
using tt::xy_pair;

}  // namespace umd
}  // namespace tt

template <>
struct std::hash<tt_xy_pair> {
  std::size_t operator()(const tt_xy_pair& core) const noexcept {
    return core.x * 0x9E3779B97F4A7C15ull + core.y;
  }
};
template <>
struct std::hash<tt_cxy_pair> {
  std::size_t operator()(const tt_cxy_pair& core) const noexcept {
    return std::hash<tt_xy_pair>{}(core)*31 + core.chip;
  }
};
