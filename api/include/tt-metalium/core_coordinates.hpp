#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tt-metalium/core_types.hpp>  // IWYU pragma: export
#include <tt-metalium/xy_pair.hpp>     // IWYU pragma: export

// Cores with what they are and in which system their coordinates are, by the names of upstream's
// driver. Calls of the host API take plain coordinates.

namespace tt {

// VIRTUAL and PHYSICAL are names of 2024 and 2025; LITERAL says that no system is named.
enum class CoordSystem : std::uint8_t {
  LOGICAL,
  PHYSICAL,
  VIRTUAL,
  TRANSLATED,
  NOC0,
  NOC1,
  LITERAL
};

// The enumerator, such as "TENSIX"; "UNKNOWN" for a number without one.
std::string to_str(CoreType core_type);
std::string to_str(CoordSystem coord_system);

// One letter: a, d, e, p, t, r, s, l, or 0 for UNSPECIFIED. '?' for others.
char type_shorthand(CoreType type);

namespace umd {

using tt::CoordSystem;
using tt::to_str;

struct CoreCoord : tt_xy_pair {
  CoreType core_type = CoreType::UNSPECIFIED;
  CoordSystem coord_system = CoordSystem::LITERAL;

  constexpr CoreCoord() = default;
  constexpr CoreCoord(std::size_t x, std::size_t y, CoreType type = CoreType::UNSPECIFIED,
                      CoordSystem system = CoordSystem::LITERAL)
      : tt_xy_pair(x, y), core_type(type), coord_system(system) {}
  constexpr CoreCoord(const tt_xy_pair& core, CoreType type = CoreType::UNSPECIFIED,
                      CoordSystem system = CoordSystem::LITERAL)
      : tt_xy_pair(core), core_type(type), coord_system(system) {}

  // "t1-2 (LOGICAL)", or without a system the plain coordinate.
  std::string str() const;

  friend constexpr bool operator==(const CoreCoord&, const CoreCoord&) = default;
  friend constexpr auto operator<=>(const CoreCoord&, const CoreCoord&) = default;
  friend constexpr bool operator==(const CoreCoord& a, const tt_xy_pair& b) {
    return a.x == b.x && a.y == b.y;
  }
};

}  // namespace umd
}  // namespace tt

using tt::CoordSystem;
using tt::to_str;

template <>
struct std::hash<tt::umd::CoreCoord> {
  std::size_t operator()(const tt::umd::CoreCoord& core) const noexcept {
    const auto kind =
        static_cast<std::size_t>(core.core_type) << 8 | static_cast<std::size_t>(core.coord_system);
    return std::hash<tt_xy_pair>{}(core)*31 + kind;
  }
};

template <>
struct fmt::formatter<tt::umd::CoreCoord> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const tt::umd::CoreCoord& core, Context& context) const {
    return fmt::formatter<std::string_view>::format(core.str(), context);
  }
};
