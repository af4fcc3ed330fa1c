#pragma once

#include <cstddef>
#include <string_view>

namespace tt::stl {
namespace internal {

template <typename T>
constexpr std::string_view printed_type() {
  return __PRETTY_FUNCTION__;
}

// Where the compiler prints a type, told by one that is known.
inline constexpr std::string_view kKnown = "long double";
inline constexpr std::size_t kBefore = printed_type<long double>().find(kKnown);
inline constexpr std::size_t kAfter = printed_type<long double>().size() - kBefore - kKnown.size();

template <typename T>
constexpr std::string_view type_name() {
  std::string_view name = printed_type<T>();
  name.remove_prefix(kBefore);
  name.remove_suffix(kAfter);
  return name;
}

// Without the namespaces before the name; those in template arguments stay.
constexpr std::string_view without_namespaces(std::string_view name) {
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth == 0 && name[i] == ':') begin = i + 1;
  }
  return name.substr(begin);
}

}  // namespace internal

// The name of a type, with and without its namespaces.
template <typename T>
inline constexpr std::string_view long_type_name = internal::type_name<T>();
template <typename T>
inline constexpr std::string_view short_type_name =
    internal::without_namespaces(internal::type_name<T>());

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
