#pragma once

#include <type_traits>

namespace tt::stl {

template <typename E>
requires std::is_enum_v<E>
constexpr auto as_underlying_type(E e) { return static_cast<std::underlying_type_t<E>>(e); }

}  // namespace tt::stl

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
