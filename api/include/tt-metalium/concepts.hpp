#pragma once

#include <type_traits>

namespace tt::stl::concepts {

// False once T is known, for static assertions in templates.
template <typename... T>
inline constexpr bool always_false_v = false;

// Plain structures, whose fields can be gone through.
template <typename T>
concept Reflectable = std::is_aggregate_v<std::decay_t<T>> && std::is_class_v<std::decay_t<T>>;

}  // namespace tt::stl::concepts

namespace ttsl {
using namespace ::tt::stl;
}  // namespace ttsl
