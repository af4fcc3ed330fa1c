#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tt-metalium/concepts.hpp>    // IWYU pragma: export
#include <tt-metalium/formatters.hpp>  // IWYU pragma: export
#include <tt-metalium/logger.hpp>      // IWYU pragma: export
#include <tt-metalium/type_name.hpp>   // IWYU pragma: export
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// What a program can ask of values by their types: names, hashes, and values within values. A
// structure takes part when it names its parts:
//
//   static constexpr auto attribute_names = std::forward_as_tuple("rows", "columns");
//   auto attribute_values() const { return std::forward_as_tuple(rows, columns); }
//
// There is no JSON here, and the fields of other structures are not found.
namespace tt::stl {

template <typename T>
constexpr std::string_view get_type_name() {
  return short_type_name<std::decay_t<T>>;
}
template <typename T>
constexpr std::string_view get_type_name(const T&) {
  return get_type_name<T>();
}

template <typename T>
concept IsVariant = requires {
  std::variant_size<T>::value;
};

template <IsVariant Variant>
constexpr std::string_view get_active_type_name_in_variant(const Variant& variant) {
  return std::visit([](const auto& held) { return get_type_name(held); }, variant);
}

namespace detail {

template <typename T, template <typename...> class Template>
struct is_specialization : std::false_type {};
template <template <typename...> class Template, typename... Args>
struct is_specialization<Template<Args...>, Template> : std::true_type {};

}  // namespace detail

template <typename T, template <typename...> class Template>
inline constexpr bool is_specialization_v = detail::is_specialization<T, Template>::value;

template <typename T>
struct is_span : std::false_type {};
template <typename T, std::size_t Extent>
struct is_span<std::span<T, Extent>> : std::true_type {};
template <typename T>
inline constexpr bool is_span_v = is_span<T>::value;

namespace internal {

template <typename T>
concept HasAttributes = requires(const T& object) {
  std::tuple_size<std::decay_t<decltype(T::attribute_names)>>::value;
  object.attribute_values();
};
template <typename T>
concept Optional = detail::is_specialization<T, std::optional>::value;
template <typename T>
concept Tuple = requires {
  std::tuple_size<T>::value;
}
&&!requires(const T& t) { t.begin(); };
template <typename T>
concept Range = requires(const T& range) {
  range.begin();
  range.end();
}
&&!std::is_convertible_v<T, std::string_view>;

// Calls a function with each value that `object` holds: a structure's attributes, a container's
// elements, what an optional, a variant or a reference has. Returns false if it holds values of no
// known kind.
template <typename T, typename Function>
bool for_each_part(const T& object, Function function) {
  const auto each = [&](const auto&... parts) { (function(parts), ...); };
  if constexpr (HasAttributes<T>) {
    std::apply(each, object.attribute_values());
  } else if constexpr (Optional<T>) {
    if (object.has_value()) function(*object);
  } else if constexpr (IsVariant<T>) {
    std::visit(function, object);
  } else if constexpr (detail::is_specialization<T, std::reference_wrapper>::value) {
    function(object.get());
  } else if constexpr (Tuple<T>) {
    std::apply(each, object);
  } else if constexpr (Range<T>) {
    for (const auto& part : object) function(part);
  } else {
    return false;
  }
  return true;
}

}  // namespace internal

// ---- Hashes: equal for equal values of one type, in one build ----

namespace hash {

using hash_t = std::uint64_t;
inline constexpr hash_t DEFAULT_SEED = 1234;

inline int type_hash_counter = 0;
// Another number for each type, in the order of their initialisation.
template <typename T>
inline const int type_hash = type_hash_counter++;

inline void hash_combine(hash_t& seed, hash_t value) noexcept {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15ull;
  seed ^= seed >> 32;
}

namespace detail {

template <typename T>
concept is_std_hashable = requires(const T& value) {
  { std::hash<T>{}(value) } -> std::convertible_to<std::size_t>;
};
template <typename T>
inline constexpr bool is_std_hashable_v = is_std_hashable<T>;

template <typename T>
hash_t hash_object(const T& object) noexcept {
  if constexpr (requires {
                  { object.to_hash() } -> std::convertible_to<hash_t>;
                }) {
    return object.to_hash();
  } else if constexpr (is_std_hashable<T>) {
    return std::hash<T>{}(object);
  } else {
    hash_t seed = 0;
    std::size_t count = 0;
    const bool known = internal::for_each_part(object, [&](const auto& part) {
      hash_combine(seed, hash_object(part));
      ++count;
    });
    static_cast<void>(known);
    static_assert(internal::HasAttributes<T> || internal::Optional<T> || IsVariant<T> ||
                      internal::Tuple<T> || internal::Range<T> ||
                      tt::stl::detail::is_specialization<T, std::reference_wrapper>::value,
                  "a value of this type has no hash: it needs a std::hash or attributes");
    if constexpr (IsVariant<T>) hash_combine(seed, object.index());
    hash_combine(seed, count);
    return seed;
  }
}

}  // namespace detail

template <typename... Types>
hash_t hash_objects(hash_t seed, const Types&... objects) noexcept {
  (hash_combine(seed, detail::hash_object(objects)), ...);
  return seed;
}
template <typename... Types>
hash_t hash_objects_with_default_seed(const Types&... objects) noexcept {
  return hash_objects(DEFAULT_SEED, objects...);
}

}  // namespace hash

// ---- Values within values ----

namespace reflection {

// Calls `callback` with each T that `object` is or holds, at any depth.
template <typename T, typename Object>
void visit_object_of_type(auto callback, const Object& object) {
  if constexpr (std::is_same_v<std::decay_t<Object>, T>) {
    callback(object);
  } else {
    internal::for_each_part(object,
                            [&](const auto& part) { visit_object_of_type<T>(callback, part); });
  }
}

template <typename T, typename Object>
std::size_t count_object_of_type(const Object& object) {
  std::size_t count = 0;
  visit_object_of_type<T>([&](const T&) { ++count; }, object);
  return count;
}

// The first of them. REQUIRES: there is one.
template <typename T, typename Object>
const T& get_first_object_of_type(const Object& object) {
  const T* first = nullptr;
  visit_object_of_type<T>([&](const T& found) { first = first == nullptr ? &found : first; },
                          object);
  return *first;
}

}  // namespace reflection

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl

// "Name(rows=2, columns=3)".
template <tt::stl::internal::HasAttributes T>
struct fmt::formatter<T, char> : ttsl::fmt_detail::Plain {
  template <typename Context>
  auto format(const T& object, Context& context) const {
    auto out = fmt::format_to(context.out(), "{}(", tt::stl::get_type_name<T>());
    const auto add = [&](std::size_t index, const auto& name, const auto& value) {
      out = fmt::format_to(out, "{}{}=", index == 0 ? "" : ", ", name);
      out = ttsl::fmt_detail::format_value(out, value);
    };
    const auto values = object.attribute_values();
    [&]<std::size_t... index>(std::index_sequence<index...>) {
      (add(index, std::get<index>(T::attribute_names), std::get<index>(values)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(values)>>{});
    return fmt::format_to(out, ")");
  }
};
