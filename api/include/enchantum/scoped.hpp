#pragma once

#include <enchantum/enchantum.hpp>  // IWYU pragma: export
#include <string>
#include <tt-metalium/type_name.hpp>

namespace enchantum::scoped {

// With the name of the enumeration: "Color::Red". Empty for a value that no enumerator has.
template <Enum E>
std::string to_string(E value) {
  const std::string_view name = enchantum::to_string(value);
  if (name.empty()) return {};
  return std::string(tt::stl::short_type_name<E>) + "::" + std::string(name);
}

}  // namespace enchantum::scoped
