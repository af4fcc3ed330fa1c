#pragma once

#include <cstddef>
#include <functional>
#include <magic_enum/magic_enum.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

// Names of enumerators, for programs that got this header with TT-Metalium: that part of the
// library enchantum that they use. The library itself takes the place of this header where it
// comes first in the include path. Values are seen as those of magic_enum/magic_enum.hpp.
namespace enchantum {

template <typename T>
concept Enum = std::is_enum_v<T>;

template <Enum E>
inline constexpr auto entries = magic_enum::enum_entries<E>();
template <Enum E>
inline constexpr auto values = magic_enum::enum_values<E>();
template <Enum E>
inline constexpr auto names = magic_enum::enum_names<E>();
template <Enum E>
inline constexpr std::size_t count = magic_enum::enum_count<E>();

template <Enum E>
constexpr auto to_underlying(E value) noexcept {
  return static_cast<std::underlying_type_t<E>>(value);
}

// Empty for a value that no enumerator has.
template <Enum E>
constexpr std::string_view to_string(E value) noexcept {
  return magic_enum::enum_name(value);
}

template <Enum E>
constexpr std::optional<std::size_t> enum_to_index(E value) noexcept {
  return magic_enum::enum_index(value);
}
template <Enum E>
constexpr std::optional<E> index_to_enum(std::size_t index) noexcept {
  if (index >= count<E>) return std::nullopt;
  return values<E>[index];
}

// The enumerator of that name or number.
template <Enum E>
constexpr std::optional<E> cast(std::underlying_type_t<E> number) noexcept {
  return magic_enum::enum_cast<E>(number);
}
template <Enum E, typename Equal = std::equal_to<>>
constexpr std::optional<E> cast(std::string_view name, Equal equal = {}) noexcept {
  return magic_enum::enum_cast<E>(name, equal);
}

template <Enum E>
constexpr bool contains(E value) noexcept {
  return magic_enum::enum_contains(value);
}
template <Enum E>
constexpr bool contains(std::underlying_type_t<E> number) noexcept {
  return cast<E>(number).has_value();
}
template <Enum E>
constexpr bool contains(std::string_view name) noexcept {
  return cast<E>(name).has_value();
}

// Calls a function with each enumerator, as an std::integral_constant.
template <Enum E, typename Function>
constexpr void for_each(Function function) {
  [&]<std::size_t... index>(std::index_sequence<index...>) {
    (function(std::integral_constant<E, values<E>[index]> {}), ...);
  }
  (std::make_index_sequence<count<E>>{});
}

}  // namespace enchantum
