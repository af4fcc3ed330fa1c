#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

// Names of enumerators, for programs that got this header with TT-Metalium: that part of the
// library magic_enum that they use. The library itself takes the place of this header where it
// comes first in the include path.
//
// The compiler tells the names: it prints a template's arguments, and an enumerator as its name.
// Values from -128 to 255 are seen, those of the type that is below the enumeration.
#ifndef NEARGYE_MAGIC_ENUM_HPP
#define NEARGYE_MAGIC_ENUM_HPP

namespace magic_enum {

namespace detail {

template <typename E, E value>
constexpr std::string_view printed() {
#if defined(__clang__) || defined(__GNUC__)
  return __PRETTY_FUNCTION__;
#else
#error "a compiler that prints template arguments is needed"
#endif
}

// "...value = ns::E::name]" or, where no enumerator has the value, "...value = (ns::E)5]". GCC adds
// "; std::string_view = ..." behind it.
template <typename E, E value>
constexpr std::string_view name() {
  std::string_view text = printed<E, value>();
  constexpr std::string_view kBefore = "value = ";
  text.remove_prefix(text.find(kBefore) + kBefore.size());
  text = text.substr(0, text.find_first_of(";]"));
  // clang writes "(anonymous namespace)::E::name", so a parenthesis may begin a name, too.
  const std::size_t last = text.find_last_of(":)");
  if (last != text.npos) text.remove_prefix(last + 1);
  const bool is_number =
      text.empty() || text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
  return is_number ? std::string_view() : text;
}

// The characters of a name with a zero at their end: programs pass the data of a name on as a C
// string.
template <typename E, E value>
struct Characters {
  static constexpr auto kAll = [] {
    constexpr std::string_view kPrinted = name<E, value>();
    std::array<char, kPrinted.size() + 1> all{};
    std::copy(kPrinted.begin(), kPrinted.end(), all.begin());
    return all;
  }();
};

template <typename E, E value>
constexpr std::string_view terminated_name() {
  if constexpr (name<E, value>().empty()) {
    return {};
  } else {
    constexpr auto& kAll = Characters<E, value>::kAll;
    return {kAll.data(), kAll.size() - 1};
  }
}

template <typename E>
inline constexpr int kFirst = std::is_signed_v<std::underlying_type_t<E>> ? -128 : 0;
template <typename E>
inline constexpr int kLast = sizeof(E) == 1 && std::is_signed_v<std::underlying_type_t<E>> ? 127
                                                                                           : 255;

template <typename E>
using Entry = std::pair<E, std::string_view>;

// An enumeration without a fixed type has only the values that the bits of its enumerators can
// hold; a cast beyond them is no constant, and some compilers refuse it.
template <typename E, int value, typename = void>
struct NameOf {
  static constexpr std::string_view kName = {};
};
template <typename E, int value>
struct NameOf<E, value, std::void_t<std::integral_constant<E, static_cast<E>(value)>>> {
  static constexpr std::string_view kName = terminated_name<E, static_cast<E>(value)>();
};

template <typename E, int... offsets>
constexpr auto entries(std::integer_sequence<int, offsets...>) {
  constexpr std::string_view kNames[] = {NameOf<E, kFirst<E> + offsets>::kName...};
  constexpr auto kCount = static_cast<std::size_t>(
      std::count_if(std::begin(kNames), std::end(kNames), [](auto text) { return !text.empty(); }));
  std::array<Entry<E>, kCount> found{};
  std::size_t next = 0;
  for (int i = 0; i < static_cast<int>(sizeof...(offsets)); ++i) {
    if (!kNames[i].empty()) found[next++] = {static_cast<E>(kFirst<E> + i), kNames[i]};
  }
  return found;
}

template <typename E>
inline constexpr auto kEntries =
    entries<E>(std::make_integer_sequence<int, kLast<E> - kFirst<E> + 1>());

}  // namespace detail

// By value, all of them.
template <typename E>
constexpr const auto& enum_entries() {
  return detail::kEntries<std::decay_t<E>>;
}

template <typename E>
constexpr std::size_t enum_count() {
  return enum_entries<E>().size();
}

template <typename E>
constexpr auto enum_values() {
  std::array<std::decay_t<E>, enum_count<E>()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = enum_entries<E>()[i].first;
  return values;
}

template <typename E>
constexpr auto enum_names() {
  std::array<std::string_view, enum_count<E>()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = enum_entries<E>()[i].second;
  return names;
}

// Empty for a value that no enumerator has.
template <typename E>
constexpr std::string_view enum_name(E value) {
  for (const auto& [known, name] : enum_entries<E>()) {
    if (known == value) return name;
  }
  return {};
}
template <auto value>
constexpr std::string_view enum_name() {
  return detail::terminated_name<decltype(value), value>();
}

template <typename E>
constexpr auto enum_integer(E value) {
  return static_cast<std::underlying_type_t<E>>(value);
}
template <typename E>
constexpr auto enum_underlying(E value) {
  return enum_integer(value);
}

// Compares letters, whatever their case.
inline constexpr auto case_insensitive = [](char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return lower(a) == lower(b);
};

// The enumerator of that name or number.
template <typename E, typename Equal = std::equal_to<>>
constexpr std::optional<E> enum_cast(std::string_view name, Equal equal = {}) {
  for (const auto& [value, known] : enum_entries<E>()) {
    if (std::equal(known.begin(), known.end(), name.begin(), name.end(), equal)) return value;
  }
  return std::nullopt;
}
template <typename E>
constexpr std::optional<E> enum_cast(std::underlying_type_t<E> number) {
  for (const auto& [value, name] : enum_entries<E>()) {
    if (enum_integer(value) == number) return value;
  }
  return std::nullopt;
}

template <typename E>
constexpr std::optional<std::size_t> enum_index(E value) {
  for (std::size_t i = 0; i < enum_count<E>(); ++i) {
    if (enum_entries<E>()[i].first == value) return i;
  }
  return std::nullopt;
}

template <typename E>
constexpr bool enum_contains(E value) {
  return enum_index(value).has_value();
}
template <typename E>
constexpr bool enum_contains(std::string_view name) {
  return enum_cast<E>(name).has_value();
}

}  // namespace magic_enum

#endif
