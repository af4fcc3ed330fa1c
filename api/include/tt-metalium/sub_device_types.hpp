#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace tt::tt_metal {

// A small number with a type of its own.
template <typename Tag, typename Value>
struct StrongId {
  using value_type = Value;
  using Id = Value;  // the names of early 2025
  constexpr Value to_index() const { return value; }

  constexpr StrongId() = default;
  constexpr explicit StrongId(Value value) : value(value) {}

  constexpr Value operator*() const { return value; }
  constexpr Value get() const { return value; }

  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;

  Value value = 0;
};

using SubDeviceId = StrongId<struct SubDeviceIdTag, uint8_t>;
using SubDeviceManagerId = StrongId<struct SubDeviceManagerIdTag, uint64_t>;

}  // namespace tt::tt_metal

template <typename Tag, typename Value>
struct std::hash<tt::tt_metal::StrongId<Tag, Value>> {
  std::size_t operator()(const tt::tt_metal::StrongId<Tag, Value>& id) const noexcept {
    return std::hash<Value>{}(*id);
  }
};

template <typename Tag, typename Value>
struct fmt::formatter<tt::tt_metal::StrongId<Tag, Value>> : fmt::formatter<uint64_t> {
  template <typename Context>
  auto format(const tt::tt_metal::StrongId<Tag, Value>& id, Context& context) const {
    return fmt::formatter<uint64_t>::format(*id, context);
  }
};
