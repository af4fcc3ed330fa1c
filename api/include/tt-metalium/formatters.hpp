#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <functional>
#include <magic_enum/magic_enum.hpp>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tt-metalium/small_vector.hpp>
#include <tt-metalium/strong_type.hpp>
#include <tt-metalium/type_name.hpp>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// Text of enumerators, of the standard library's containers and of what they hold, for fmt. Not to
// be used together with fmt/ranges.h and fmt/std.h, which do some of it in other words. All formats
// are "{}".
namespace ttsl::fmt_detail {

// A pointer by its address, all else by its formatter.
template <typename Out, typename T>
Out format_value(Out out, const T& value) {
  using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
  if constexpr (std::is_pointer_v<T> && !std::is_same_v<Pointee, char>) {
    if (value == nullptr) return fmt::format_to(out, "nullptr");
    return fmt::format_to(out, "{}", static_cast<const void*>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return fmt::format_to(out, "{}", value ? "true" : "false");
  } else {
    return fmt::format_to(out, "{}", value);
  }
}

// Values between brackets, with commas.
template <typename Iterator, typename Out>
Out format_sequence(Iterator begin, Iterator end, Out out, std::string_view open,
                    std::string_view close) {
  out = fmt::format_to(out, "{}", open);
  for (Iterator next = begin; next != end; ++next) {
    if (next != begin) out = fmt::format_to(out, ", ");
    out = format_value(out, *next);
  }
  return fmt::format_to(out, "{}", close);
}

struct Plain {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
};

template <typename Sequence>
struct SequenceFormatter : Plain {
  template <typename Context>
  auto format(const Sequence& values, Context& context) const {
    return format_sequence(values.begin(), values.end(), context.out(), "{", "}");
  }
};

template <typename Map>
struct MapFormatter : Plain {
  template <typename Context>
  auto format(const Map& entries, Context& context) const {
    auto out = fmt::format_to(context.out(), "{{");
    bool first = true;
    for (const auto& [key, value] : entries) {
      if (!std::exchange(first, false)) out = fmt::format_to(out, ", ");
      out = fmt::format_to(format_value(out, key), ": ");
      out = format_value(out, value);
    }
    return fmt::format_to(out, "}}");
  }
};

template <typename Tuple>
struct TupleFormatter : Plain {
  template <typename Context>
  auto format(const Tuple& values, Context& context) const {
    auto out = fmt::format_to(context.out(), "(");
    const auto add = [&](std::size_t index, const auto& value) {
      if (index != 0) out = fmt::format_to(out, ", ");
      out = format_value(out, value);
    };
    [&]<std::size_t... index>(std::index_sequence<index...>) {
      (add(index, std::get<index>(values)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
    return fmt::format_to(out, ")");
  }
};

}  // namespace ttsl::fmt_detail

template <typename T>
requires std::is_enum_v<T>
struct fmt::formatter<T, char> : ttsl::fmt_detail::Plain {
  template <typename Context>
  auto format(T value, Context& context) const {
    return fmt::format_to(context.out(), "{}::{}", tt::stl::short_type_name<T>,
                          magic_enum::enum_name(value));
  }
};

template <>
struct fmt::formatter<std::filesystem::path> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const std::filesystem::path& path, Context& context) const {
    return fmt::formatter<std::string_view>::format(path.string(), context);
  }
};

template <typename T>
struct fmt::formatter<std::optional<T>, char> : ttsl::fmt_detail::Plain {
  template <typename Context>
  auto format(const std::optional<T>& value, Context& context) const {
    if (!value.has_value()) return fmt::format_to(context.out(), "std::nullopt");
    return ttsl::fmt_detail::format_value(context.out(), *value);
  }
};

template <typename... Ts>
struct fmt::formatter<std::variant<Ts...>, char> : ttsl::fmt_detail::Plain {
  template <typename Context>
  auto format(const std::variant<Ts...>& value, Context& context) const {
    return std::visit(
        [&](const auto& held) { return ttsl::fmt_detail::format_value(context.out(), held); },
        value);
  }
};

template <typename T>
struct fmt::formatter<std::reference_wrapper<T>, char> : ttsl::fmt_detail::Plain {
  template <typename Context>
  auto format(const std::reference_wrapper<T>& value, Context& context) const {
    return ttsl::fmt_detail::format_value(context.out(), value.get());
  }
};

template <typename T, typename Allocator>
struct fmt::formatter<std::vector<T, Allocator>, char>
    : ttsl::fmt_detail::SequenceFormatter<std::vector<T, Allocator>> {};
template <typename T, std::size_t size>
struct fmt::formatter<std::array<T, size>, char>
    : ttsl::fmt_detail::SequenceFormatter<std::array<T, size>> {};
template <typename Key, typename Compare, typename Allocator>
struct fmt::formatter<std::set<Key, Compare, Allocator>, char>
    : ttsl::fmt_detail::SequenceFormatter<std::set<Key, Compare, Allocator>> {};

template <typename Key, typename Value, typename Compare, typename Allocator>
struct fmt::formatter<std::map<Key, Value, Compare, Allocator>, char>
    : ttsl::fmt_detail::MapFormatter<std::map<Key, Value, Compare, Allocator>> {};
template <typename Key, typename Value, typename Hash, typename Equal, typename Allocator>
struct fmt::formatter<std::unordered_map<Key, Value, Hash, Equal, Allocator>, char>
    : ttsl::fmt_detail::MapFormatter<std::unordered_map<Key, Value, Hash, Equal, Allocator>> {};

template <typename First, typename Second>
struct fmt::formatter<std::pair<First, Second>, char>
    : ttsl::fmt_detail::TupleFormatter<std::pair<First, Second>> {};
template <typename... Ts>
struct fmt::formatter<std::tuple<Ts...>, char>
    : ttsl::fmt_detail::TupleFormatter<std::tuple<Ts...>> {};
